import { Fault } from './fault.ts'

/** `date-time` of RFC 3339 §5.6: the offset is required. */
const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,30}))?([Zz]|[+-]\d\d:\d\d)$/
const MIN_MS = Date.parse('0000-01-01T00:00:00.000Z')
const MAX_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Parses a timestamp to milliseconds since the Unix epoch; finer digits are dropped. */
export function parseTimestamp(text: string): number | Fault {
  const parts = RFC_3339.exec(text)
  if (parts === null) return new Fault('INVALID_TIMESTAMP')
  const [, year, month, day, hour, minute, second, fraction = '', offset = ''] = parts
  const ms = fraction.slice(0, 3).padEnd(3, '0')
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  // Date normalizes 31 April to 1 May, and 24:00 to the next day.
  if (Number.isNaN(local) || new Date(local).getUTCDate() !== Number(day)) {
    return new Fault('INVALID_TIMESTAMP')
  }
  const shift = offsetMinutes(offset)
  if (shift === null) return new Fault('INVALID_TIMESTAMP')
  const instant = local - shift * 60_000
  return instant < MIN_MS || instant > MAX_MS ? new Fault('INVALID_TIMESTAMP') : instant
}

const DATE = /^\d{4}-\d\d-\d\d$/
/** The `+` of an offset becomes a space when the client didn't percent-encode it. */
const LOST_PLUS = / (?=\d\d:\d\d$)/

/** Parses a time in a query parameter; a date means its midnight in UTC. */
export function parseQueryTime(text: string): number | Fault {
  return parseTimestamp(DATE.test(text) ? `${text}T00:00:00Z` : text.replace(LOST_PLUS, '+'))
}

function offsetMinutes(offset: string): number | null {
  if (offset === 'Z' || offset === 'z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(4, 6))
  if (hours > 23 || minutes > 59) return null
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** UTC with milliseconds, the format of all returned timestamps; null stays null. */
export function formatTimestamp<T extends number | null>(ms: T): T extends null ? null : string
export function formatTimestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
