import type { Logger } from '../../lib/base/logger.ts'
import type { Storage } from '../../platform/storage/index.ts'
import {
  type CachedResolver,
  listSlugs,
  readSnapshot,
  SLUGS_MAX,
  writeSnapshot,
} from '../../redirect/index.ts'

/** How often it is checked whether links have to be read again; also the delay after a failure. */
const CHECK_EVERY_MS = 10_000
/** How often the most visited links are read again, if there are more than fit. */
const FILL_EVERY_MS = 900_000
/** How often the links are saved, so that the file is less than a minute old. */
const SAVE_EVERY_MS = 30_000
/** How often they are saved without a change, because nothing older than a day is used. */
const REWRITE_EVERY_MS = 3_600_000

/**
 * Fills the memory of links before it resolves, and again after a gap in the changes that are
 * followed. Saves it to a file, periodically. Without the database it starts with the saved links.
 * @returns a function that stops this, and saves once more
 */
export async function startCacheWarmer(options: {
  resolver: Pick<CachedResolver, 'fill' | 'restore' | 'links' | 'state'>
  storage: Pick<Storage, 'read'>
  /** The file for a start without the database. */
  file: string
  logger: Pick<Logger, 'warn'>
}): Promise<() => Promise<void>> {
  const { resolver, storage, file, logger } = options
  let filledAt = Number.NEGATIVE_INFINITY
  let saved = { at: Number.NEGATIVE_INFINITY, edits: -1 }
  let filling: Promise<void> | null = null
  let saving = Promise.resolve()

  async function fill(): Promise<void> {
    try {
      await resolver.fill(listSlugs(storage, SLUGS_MAX))
      filledAt = performance.now()
    } catch (err) {
      logger.warn({ err }, 'The links can not be read into memory')
    }
  }

  async function save(): Promise<void> {
    const { edits } = resolver.state()
    const now = performance.now()
    if (edits === saved.edits && now - saved.at < REWRITE_EVERY_MS) return
    try {
      await writeSnapshot(file, resolver.links())
      saved = { at: now, edits }
    } catch (err) {
      logger.warn({ err }, 'The links in memory can not be saved')
    }
  }

  await fill()
  if (filledAt < 0) resolver.restore(await readSnapshot(file))
  else saving = save()
  const timers = [
    setInterval(() => {
      const { filled } = resolver.state()
      const isOld = filled === 'part' && performance.now() - filledAt > FILL_EVERY_MS
      if (filled !== 'none' && !isOld) return
      filling ??= fill().finally(() => {
        filling = null
      })
    }, CHECK_EVERY_MS).unref(),
    setInterval(() => {
      saving = saving.then(save)
    }, SAVE_EVERY_MS).unref(),
  ]

  return async () => {
    timers.forEach(clearInterval)
    await Promise.all([filling, saving])
    await save()
  }
}
