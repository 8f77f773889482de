import { invalid } from '../lib/errors/index.ts'
import { parseQueryTime } from '../lib/validation/timestamp.ts'
import { ValidationIssue } from '../lib/validation/validation-issue.ts'
import { zoned } from '../lib/validation/zone.ts'
import { startOfDay } from './intervals.ts'

/** One end of a range as it was asked for: a time, or a whole day of the report's time zone. */
export type Bound = { ms: number } | { date: Temporal.PlainDate }

/** From `from` to before `to`, in milliseconds since the Unix epoch. */
export interface Range {
  from: number
  to: number
}

/** How many days, the last one included, a report covers by default. */
export const DAYS_DEFAULT = 30

const MIN_MS = Date.parse('0000-01-01T00:00:00.000Z')
const MAX_MS = Date.parse('9999-12-31T23:59:59.999Z')
const DATE = /^\d{4}-\d\d-\d\d$/

/** Reads one end of a range: RFC 3339, or a date. */
export function checkBound(text: string): Bound | ValidationIssue {
  if (!DATE.test(text)) {
    const ms = parseQueryTime(text)
    return ms instanceof ValidationIssue ? ms : { ms }
  }
  try {
    return { date: Temporal.PlainDate.from(text, { overflow: 'reject' }) }
  } catch {
    return new ValidationIssue('INVALID_TIMESTAMP')
  }
}

/** A range as it was asked for, and its time zone. */
export interface Bounds {
  from: Bound | undefined
  to: Bound | undefined
  zone: string
}

/**
 * The range of a report. A date as its end is included. By default it ends now and begins
 * {@link DAYS_DEFAULT} days before its end.
 * @throws AppError VALIDATION_FAILED (ENDS_BEFORE_START)
 */
export function reportRange({ from, to, zone }: Bounds, nowMs: number): Range {
  const end = to === undefined ? nowMs : endOf(to, zone)
  if (from !== undefined) {
    return inOrder({ from: startOf(from, zone), to: end }, to === undefined ? 'from' : 'to')
  }
  const firstDay = zoned(end - 1, zone)
    .toPlainDate()
    .subtract({ days: DAYS_DEFAULT - 1 })
  return inOrder({ from: startOfDay(firstDay, zone), to: end })
}

/**
 * The range of a list of single clicks: all of them by default.
 * @throws AppError VALIDATION_FAILED (ENDS_BEFORE_START)
 */
export function listRange({ from, to, zone }: Bounds): Range {
  return inOrder({
    from: from === undefined ? MIN_MS : startOf(from, zone),
    to: to === undefined ? MAX_MS : endOf(to, zone),
  })
}

function endOf(bound: Bound, zone: string): number {
  return startOf('ms' in bound ? bound : { date: bound.date.add({ days: 1 }) }, zone)
}

/** Within the years that a timestamp can be written with. */
function startOf(bound: Bound, zone: string): number {
  if ('ms' in bound) return bound.ms
  return Math.min(Math.max(startOfDay(bound.date, zone), MIN_MS), MAX_MS)
}

/** `field`: the one to name in the error, of those that were given. */
function inOrder(range: Range, field: 'from' | 'to' = 'to'): Range {
  if (range.from < range.to) return range
  throw invalid({ field, code: 'ENDS_BEFORE_START' })
}
