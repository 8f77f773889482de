import type { Clock } from '../lib/base/clock.ts'
import type { Logger } from '../lib/base/logger.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { CachedResolver } from './cached-resolver.ts'
import { type ChangePosition, type Mark, readChanges, trimChanges } from './changed-slugs.ts'

const EVERY_MS = 500
/** Pages of a round; with more changes, checking what is visited is cheaper than reading all. */
const PAGES_MAX = 200
/** A node that was cut off for longer may have missed deleted changes. */
const MISSED_AFTER_MS = 60_000
/** How long changes are kept at least, so that no node that is cut off for less misses one. */
const KEPT_MS = 120_000

/** Keeps a node's memory of links up to date. */
export type LinkFollower = ReturnType<typeof createLinkFollower>

/**
 * Follows the changes of links in the database, twice a second. It is what the promise that a
 * change takes effect on every node within a second relies on: by any node or program, and whether
 * or not it could be announced.
 */
export function createLinkFollower(options: {
  storage: Pick<Storage, 'read' | 'write'>
  resolver: Pick<CachedResolver, 'follow' | 'known' | 'lost'>
  clock: Clock
  logger: Pick<Logger, 'warn'>
}) {
  const { storage, resolver, clock, logger } = options
  let mark: Mark | null = null
  /** Everything visible then may soon be deleted. */
  let old: Mark | null = null
  let isTrimming = false
  let timer: Timer | undefined
  let isClosed = false
  let running: Promise<void> | null = null
  let waiting: Promise<void> | null = null

  async function round(): Promise<void> {
    const begun = clock.now()
    let first: Mark | undefined
    let position: ChangePosition | undefined
    for (let pages = 0; ; pages++) {
      const page = await resolver.follow(() => readChanges(storage, mark, position))
      first ??= page.mark
      if (mark === null || isFar(mark, page.mark) || pages === PAGES_MAX) {
        resolver.lost(begun)
        break
      }
      if (page.next === null) break
      position = page.next
    }
    mark = first
    resolver.known(begun)
    trim(mark)
  }

  function trim(now: Mark): void {
    if (old?.server !== now.server) old = now
    if (isTrimming || now.at - old.at < KEPT_MS) return
    isTrimming = true
    trimChanges(storage, old)
      .catch((err) => logger.warn({ err }, 'Old changes of links could not be deleted'))
      .finally(() => {
        isTrimming = false
      })
    old = now
  }

  /** Resolves after a round that has begun after this call. @throws StorageUnavailable */
  function caughtUp(): Promise<void> {
    if (waiting !== null) return waiting
    if (running === null) return begin()
    waiting = running.catch(() => {}).then(() => begin())
    return waiting
  }

  function begin(): Promise<void> {
    waiting = null
    running = round().finally(() => {
      running = null
    })
    return running
  }

  function later(ms: number): void {
    if (isClosed) return
    timer = setTimeout(async () => {
      const at = performance.now()
      await caughtUp().catch(() => {})
      later(Math.max(0, EVERY_MS - (performance.now() - at)))
    }, ms).unref()
  }

  return {
    caughtUp,
    /** Begins to follow. Without the database it is retried. */
    async start(): Promise<void> {
      await caughtUp().catch((err) => logger.warn({ err }, 'The changes of links can not be read'))
      later(EVERY_MS)
    },
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await running?.catch(() => {})
    },
  }
}

/** Whether changes between two marks may be missing from the list. */
function isFar(before: Mark, now: Mark): boolean {
  return before.server !== now.server || now.at - before.at > MISSED_AFTER_MS
}
