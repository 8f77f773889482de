import { zoned } from '../lib/validation/zone.ts'
import type { ZoneOffset } from './types.ts'

/** How long the buckets of a series are. Weeks are those of ISO 8601: they begin on Mondays. */
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const

export type Interval = (typeof INTERVALS)[number]

/** The most buckets that a series may have: hours of a quarter, days of almost seven years. */
export const BUCKETS_MAX = 2_500

/** Milliseconds of an hour and of a UTC day. */
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** The default for a range: a few dozen buckets. */
export function defaultInterval(from: number, to: number): Interval {
  const days = (to - from) / DAY_MS
  if (days <= 2) return 'hour'
  if (days <= 100) return 'day'
  return days <= 750 ? 'week' : 'month'
}

/**
 * When each bucket of a range begins, by the clocks of a zone: the first one at or before `from`,
 * the others before `to`. Times in milliseconds since the Unix epoch.
 *
 * A day begins at midnight, or at the first moment after it where the clocks skip midnight; a day
 * that a zone skipped has no bucket. An hour lasts as long as the clocks show it: one that they
 * repeat whole is two buckets, one that they repeat or skip in part is a longer or a shorter one.
 *
 * @returns null where there would be more than {@link BUCKETS_MAX}.
 */
export function bucketStarts(
  range: { from: number; to: number },
  interval: Interval,
  zone: string,
): number[] | null {
  // Not even the shortest buckets (the hours that clocks skip in part are rare) would be as few.
  if ((range.to - range.from) / SHORTEST_MS[interval] > BUCKETS_MAX + 100) return null
  const starts =
    interval === 'hour' ? hours(range, zone) : days(range, zone, STEPS[interval], ANCHORS[interval])
  return starts.length > BUCKETS_MAX ? null : starts
}

const SHORTEST_MS: Record<Interval, number> = {
  hour: HOUR_MS,
  day: 25 * HOUR_MS,
  week: 8 * DAY_MS,
  month: 32 * DAY_MS,
}

const STEPS = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } } as const

/** The first date of the bucket of a date. */
const ANCHORS = {
  day: (date: Temporal.PlainDate) => date,
  week: (date: Temporal.PlainDate) => date.subtract({ days: date.dayOfWeek - 1 }),
  month: (date: Temporal.PlainDate) => date.with({ day: 1 }),
}

function days(
  { from, to }: { from: number; to: number },
  zone: string,
  step: { days: number } | { months: number },
  anchor: (date: Temporal.PlainDate) => Temporal.PlainDate,
): number[] {
  let date = anchor(zoned(from, zone).toPlainDate())
  const starts = [startOfDay(date, zone)]
  for (;;) {
    date = date.add(step)
    const start = startOfDay(date, zone)
    if (start >= to) return starts
    // Clocks that go back over midnight show `from` on a date whose successor began before it; a
    // day that was skipped begins when the next one does.
    if (start <= from) starts[0] = start
    else if (start > (starts.at(-1) as number)) starts.push(start)
  }
}

/** Hours between the changes of a zone's offset: as regular as those of UTC. */
function hours({ from, to }: { from: number; to: number }, zone: string): number[] {
  let at = zoned(from, zone)
  let offset = offsetOf(at)
  const starts = [hourBegin(at)]
  for (;;) {
    const change = at.getTimeZoneTransition('next')
    const until = Math.min(change?.epochMilliseconds ?? to, to)
    const first = Math.floor((Math.max(at.epochMilliseconds, from) + offset) / HOUR_MS) + 1
    for (let t = first * HOUR_MS - offset; t < until; t += HOUR_MS) starts.push(t)
    if (change === null || until === to) return starts
    if (beginsHour(change.epochMilliseconds, offset, offsetOf(change))) starts.push(until)
    at = change
    offset = offsetOf(change)
  }
}

/** When the hour began that the clocks show. */
function hourBegin(at: Temporal.ZonedDateTime): number {
  const ms = at.epochMilliseconds
  const offset = offsetOf(at)
  const begin = Math.floor((ms + offset) / HOUR_MS) * HOUR_MS - offset
  const change = at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  if (change === null || begin >= change.epochMilliseconds) return begin
  const before = change.subtract({ nanoseconds: 1 })
  if (beginsHour(change.epochMilliseconds, offsetOf(before), offset)) {
    return change.epochMilliseconds
  }
  return hourBegin(before)
}

/** Whether another hour begins where the offset changes: a whole one, or one of another number. */
function beginsHour(change: number, before: number, after: number): boolean {
  const shown = (change + after) / HOUR_MS
  return (
    Number.isInteger(shown) || Math.floor(shown) !== Math.floor((change - 1 + before) / HOUR_MS)
  )
}

/** When a day begins in a zone: at midnight, or at the first moment after it that exists. */
export function startOfDay(date: Temporal.PlainDate, zone: string): number {
  return date.toZonedDateTime(zone).epochMilliseconds
}

/** How far a zone is ahead of UTC from `from` on, and from each change on before `to`. */
export function zoneOffsets(zone: string, from: number, to: number): ZoneOffset[] {
  let at = zoned(from, zone)
  const offsets = [{ from, offsetMs: offsetOf(at) }]
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (next === null || next.epochMilliseconds >= to) return offsets
    offsets.push({ from: next.epochMilliseconds, offsetMs: offsetOf(next) })
    at = next
  }
}

/** How far the zone is ahead of UTC, in milliseconds. */
function offsetOf(at: Temporal.ZonedDateTime): number {
  return at.offsetNanoseconds / 1e6
}

/** The start of the UTC month of a time; both in milliseconds since the Unix epoch. */
export function monthOf(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The start of the month after that of a time. */
export function monthAfter(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
