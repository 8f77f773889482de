import { ValidationIssue } from './validation-issue.ts'

/** `date-time` of RFC 3339 §5.6: the offset is required. Digits beyond nanoseconds are apart. */
const RFC_3339 =
  /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:[0-5]\d(?:\.\d{1,9})?)(?:(?<=\.\d{9})\d{0,21})?([Zz]|[+-]\d\d:\d\d)$/
const MIN_MS = Date.parse('0000-01-01T00:00:00.000Z')
const MAX_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Parses a timestamp to milliseconds since the Unix epoch; finer digits are dropped. */
export function parseTimestamp(text: string): number | ValidationIssue {
  const [, local, offset] = RFC_3339.exec(text) ?? []
  try {
    const ms = Temporal.Instant.from(`${local}${offset}`).epochMilliseconds
    if (ms >= MIN_MS && ms <= MAX_MS) return ms
  } catch {
    // It doesn't match, or is no day of the calendar.
  }
  return new ValidationIssue('INVALID_TIMESTAMP')
}

const DATE = /^\d{4}-\d\d-\d\d$/
/** The `+` of an offset becomes a space when the client didn't percent-encode it. */
const LOST_PLUS = / (?=\d\d:\d\d$)/

/** Parses a time in a query parameter; a date means its midnight in UTC. */
export function parseQueryTime(text: string): number | ValidationIssue {
  return parseTimestamp(DATE.test(text) ? `${text}T00:00:00Z` : text.replace(LOST_PLUS, '+'))
}

/** UTC with milliseconds, the format of all returned timestamps; null stays null. */
export function formatTimestamp<T extends number | null>(ms: T): T extends null ? null : string
export function formatTimestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
