import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../../lib/base/clock.ts'
import { idOf, isAfter } from '../clicks.ts'
import { DAY_MS } from '../intervals.ts'
import type { Range } from '../range.ts'
import type { AskableReports, ClickPosition, ListedClick, Selection } from '../types.ts'

/** Times in milliseconds. */
interface FollowOptions {
  reports: Pick<AskableReports, 'until'>
  clock: Clock
  after: ClickPosition
  /** The clicks of a range that are sent. */
  selectionOf: (range: Range) => Selection
  /** How much later than newer clicks a click may be stored; 0: clicks are stored in order. */
  lateMs: number
  /** The pause between two queries. */
  pauseMs: () => number
}

/**
 * A click, and the furthest position so far, to resume after it: a late click must not move it back.
 */
export type FollowedClick = { click: ListedClick; position: ClickPosition }

/** Clicks of one query. */
const PAGE = 1_000
/** How often late clicks are looked for: that reads the clicks of `lateMs` again. */
const LATE_EVERY_MS = 3_000
/** Many proxies close a connection that is silent for 30 to 60 seconds. */
const HEARTBEAT_MS = 15_000

/**
 * Clicks after a position, each once, without end; null is a heartbeat. They are ordered by (time,
 * n), except late ones. All are queried from the stored clicks, so that resumed and live streams
 * behave the same. Ends when the signal aborts. @throws StatisticsUnavailable
 */
export async function* followClicks(
  { reports, clock, after, selectionOf, lateMs, pauseMs }: FollowOptions,
  signal: AbortSignal,
): AsyncGenerator<FollowedClick | null> {
  const { clicks } = reports.until(signal)
  let position = after
  /** Ids of the clicks of the last `lateMs` that were sent, with their times, in order. */
  const sent = new Map<string, number>()

  /** Clicks up to the newest one that is stored, whether the selection contains that one or not. */
  async function* fresh(): AsyncGenerator<FollowedClick> {
    const ahead = { from: position.time, to: clock.now() + DAY_MS }
    const all = { ...selectionOf(ahead), filters: [], bots: 'include' } as const
    const [end] = await clicks(all, { limit: 1 })
    // A stream that resumes reads day by day, and faster where there is little.
    for (let days = 1; end !== undefined && isAfter(end, position); ) {
      const to = Math.min(end.time + 1, position.time + days * DAY_MS)
      const page = await clicks(selectionOf({ from: position.time, to }), {
        after: position,
        limit: PAGE,
      })
      for (const click of page) {
        position = { time: click.time, n: click.n }
        if (lateMs > 0) sent.set(idOf(click), click.time)
        yield { click, position }
      }
      if (page.length === PAGE) continue
      days *= 2
      const read = to > end.time ? end : { time: to - 1, n: Number.MAX_SAFE_INTEGER }
      if (isAfter(read, position)) position = { time: read.time, n: read.n }
    }
  }

  /** Clicks before the position that were stored since the last such query. */
  async function* late(): AsyncGenerator<FollowedClick> {
    const from = Math.max(after.time, position.time - lateMs)
    for (const [id, time] of sent) if (time < from) sent.delete(id)
    const selection = selectionOf({ from, to: position.time + 1 })
    let read: ClickPosition = from > after.time ? { time: from, n: -1 } : after
    for (let isMore = from <= position.time; isMore; ) {
      const page = await clicks(selection, { after: read, limit: PAGE })
      for (const click of page) {
        read = { time: click.time, n: click.n }
        if (isAfter(click, position) || sent.has(idOf(click))) continue
        sent.set(idOf(click), click.time)
        yield { click, position }
      }
      isMore = page.length === PAGE
    }
  }

  let spokeAt = performance.now()
  let lateAt = spokeAt
  while (!signal.aborted) {
    for await (const followed of fresh()) {
      yield followed
      spokeAt = performance.now()
    }
    if (lateMs > 0 && performance.now() - lateAt >= Math.min(LATE_EVERY_MS, lateMs)) {
      yield* late()
      lateAt = performance.now()
    }
    if (performance.now() - spokeAt >= HEARTBEAT_MS) {
      yield null
      spokeAt = performance.now()
    }
    // Aborted, it rejects, and the loop ends.
    await setTimeout(pauseMs(), undefined, { signal }).catch(() => {})
  }
}
