import type { Logger } from '../base/logger.ts'
import {
  type CachedResolver,
  listSlugs,
  readSnapshot,
  SLUGS_MAX,
  writeSnapshot,
} from '../redirect/index.ts'
import type { Storage } from '../storage/index.ts'

/** How often the links are read again, so that those without visits are known in an outage too. */
const FILL_EVERY_MS = 900_000
/** The same after a failure. */
const RETRY_MS = 10_000

/**
 * Fills the memory of links before it resolves, and again periodically, each time saving it to a
 * file. Without the database it starts with the saved links.
 * @returns a function that stops this, and saves once more
 */
export async function keepLinks(options: {
  resolver: Pick<CachedResolver, 'fill' | 'restore' | 'links'>
  storage: Pick<Storage, 'reports'>
  /** The file for a start without the database. */
  file: string
  logger: Pick<Logger, 'warn'>
}): Promise<() => Promise<void>> {
  const { resolver, storage, file, logger } = options
  let timer: Timer | undefined
  let isEnding = false
  let running = Promise.resolve()

  async function fill(): Promise<boolean> {
    try {
      await resolver.fill(listSlugs(storage, SLUGS_MAX))
      return true
    } catch (err) {
      logger.warn({ err }, 'The links can not be read into memory')
      return false
    }
  }

  async function save(): Promise<void> {
    await writeSnapshot(file, resolver.links()).catch((err) =>
      logger.warn({ err }, 'The links in memory can not be saved'),
    )
  }

  function later(ms: number): void {
    if (isEnding) return
    timer = setTimeout(() => {
      running = fill().then(async (filled) => {
        if (filled) await save()
        later(filled ? FILL_EVERY_MS : RETRY_MS)
      })
    }, ms).unref()
  }

  const filled = await fill()
  if (filled) running = save()
  else resolver.restore(await readSnapshot(file))
  later(filled ? FILL_EVERY_MS : RETRY_MS)

  return async () => {
    isEnding = true
    clearTimeout(timer)
    await running
    await save()
  }
}
