import { AppError } from '../errors/index.ts'
import { Fault } from '../validation/fault.ts'
import { parseTimestamp } from '../validation/timestamp.ts'
import { startOfDay, zoned } from './zones.ts'

/** One end of a range as it was asked for: a time, or a whole day of the report's time zone. */
export type Bound = { ms: number } | { date: Temporal.PlainDate }

/** From `from` to before `to`, in milliseconds since the Unix epoch. */
export interface Range {
  from: number
  to: number
}

/** How many days, today included, a report is about when nobody says. */
export const DAYS_DEFAULT = 30

const MIN_MS = Date.parse('0000-01-01T00:00:00.000Z')
const MAX_MS = Date.parse('9999-12-31T23:59:59.999Z')
const DATE = /^\d{4}-\d\d-\d\d$/
/** The `+` of an offset is a space where it wasn't percent-encoded. */
const LOST_PLUS = / (?=\d\d:\d\d$)/

/** Reads one end of a range: RFC 3339, or a date. */
export function checkBound(text: string): Bound | Fault {
  if (!DATE.test(text)) {
    const ms = parseTimestamp(text.replace(LOST_PLUS, '+'))
    return ms instanceof Fault ? ms : { ms }
  }
  try {
    return { date: Temporal.PlainDate.from(text, { overflow: 'reject' }) }
  } catch {
    return new Fault('INVALID_TIMESTAMP')
  }
}

interface Asked {
  from?: Bound | undefined
  to?: Bound | undefined
}

/**
 * The range of a report. A date as its end includes that day; without an end it goes up to now,
 * without a begin over {@link DAYS_DEFAULT} days.
 * @throws AppError VALIDATION_FAILED (ENDS_BEFORE_START)
 */
export function reportRange({ from, to }: Asked, zone: string, nowMs: number): Range {
  const end = to === undefined ? nowMs : endOf(to, zone)
  if (from !== undefined) {
    return inOrder({ from: beginOf(from, zone), to: end }, to === undefined ? 'from' : 'to')
  }
  const firstDay = zoned(end - 1, zone)
    .toPlainDate()
    .subtract({ days: DAYS_DEFAULT - 1 })
  return inOrder({ from: startOfDay(firstDay, zone), to: end })
}

/**
 * The range of a list of single clicks: all of them without a wish.
 * @throws AppError VALIDATION_FAILED (ENDS_BEFORE_START)
 */
export function listRange({ from, to }: Asked, zone: string): Range {
  return inOrder({
    from: from === undefined ? MIN_MS : beginOf(from, zone),
    to: to === undefined ? MAX_MS : endOf(to, zone),
  })
}

function beginOf(bound: Bound, zone: string): number {
  return 'ms' in bound ? bound.ms : clamp(startOfDay(bound.date, zone))
}

function endOf(bound: Bound, zone: string): number {
  return 'ms' in bound ? bound.ms : clamp(startOfDay(bound.date.add({ days: 1 }), zone))
}

/** Within the years that a timestamp can be written with. */
function clamp(ms: number): number {
  return Math.min(Math.max(ms, MIN_MS), MAX_MS)
}

/** `field`: the one that is wrong, of those that were given. */
function inOrder(range: Range, field: 'from' | 'to' = 'to'): Range {
  if (range.from < range.to) return range
  throw new AppError('VALIDATION_FAILED', {
    details: [{ field, code: 'ENDS_BEFORE_START' }],
  })
}
