import { parseTimestamp } from '../../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../../lib/validation/validation-issue.ts'

/** What is first in the dates with slashes of a column. */
export type DateOrder = 'day' | 'month'
/** The orders by column. Dates with slashes of other columns are ambiguous. */
export type DateOrders = Readonly<Record<string, DateOrder>>

/** A Unix time since 1973. Digits of other numbers may be those of a date: `203005011430`. */
const SECONDS = /^\d{9,10}$/
const MILLIS = /^\d{13}$/
/** Zeros mean “never” in several products and databases. */
const NONE = /^0*$|^0000-00-00(?:[ T]00:00:00(?:\.0+)?)?$/

const CLOCK = String.raw`(?:[T ](\d{1,2}:\d\d)(:\d\d(?:\.\d{1,9})?)?(?:\s?([AP]M))?(?: ?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$`
const ISO = new RegExp(String.raw`^(\d{4})[-/.](\d\d?)[-/.](\d\d?)${CLOCK}`, 'i')
const DOTS = new RegExp(String.raw`^(\d\d?)\.(\d\d?)\.(\d{4})${CLOCK}`, 'i')
/** With slashes, or dashes and the year last. */
const SLASHES = new RegExp(String.raw`^(\d\d?)[/-](\d\d?)[/-](\d{4})${CLOCK}`, 'i')

/**
 * A time as RFC 3339; without a zone it is UTC. Undefined: there is none. What is ambiguous, or no
 * day of the calendar, is returned unchanged, to be refused by the validation.
 * @param order of dates with slashes
 */
export function timeOf(value: unknown, order?: DateOrder): unknown {
  const text = String(value).trim()
  if (NONE.test(text)) return undefined
  if (SECONDS.test(text)) return new Date(Number(text) * 1000).toISOString()
  if (MILLIS.test(text)) return new Date(Number(text)).toISOString()
  const ms = parseTimestamp(rfc3339Of(text, order))
  return ms instanceof ValidationIssue ? value : new Date(ms).toISOString()
}

function rfc3339Of(text: string, order: DateOrder | undefined): string {
  const iso = ISO.exec(text)
  if (iso !== null) return joined(iso, iso[1], iso[2], iso[3])
  const dots = DOTS.exec(text)
  if (dots !== null) return joined(dots, dots[3], dots[2], dots[1])
  const slashes = order && SLASHES.exec(text)
  if (!slashes) return ''
  const [, first, second, year] = slashes
  return order === 'day'
    ? joined(slashes, year, second, first)
    : joined(slashes, year, first, second)
}

function joined(match: string[], year = '', month = '', day = ''): string {
  const [, , , , clock = '00:00', seconds = ':00', half, zone = 'Z'] = match
  const time = half === undefined ? clock : in24Hours(clock, half)
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const offset = /^(?:Z|UTC)$/i.test(zone)
    ? 'Z'
    : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  return `${date}T${time.padStart(5, '0')}${seconds}${offset}`
}

/** A time of twelve hours; one that isn't is no time: `13:00 PM`. */
function in24Hours(clock: string, half: string): string {
  const [hours, minutes] = clock.split(':')
  const hour = Number(hours)
  if (hour < 1 || hour > 12) return ''
  return `${(hour % 12) + (/p/i.test(half) ? 12 : 0)}:${minutes}`
}

/** Longer texts aren't dates. */
const LENGTH_MAX = 40
/** Of more columns no order is searched for. */
const SURVEYED_MAX = 1_000

/** Finds which order all dates with slashes of a column agree on. */
export function createOrderSurvey() {
  const found = new Map<string, DateOrder | 'mixed'>()
  return {
    note(record: Readonly<Record<string, unknown>>): void {
      for (const [column, value] of Object.entries(record)) {
        if (typeof value !== 'string' || value.length > LENGTH_MAX) continue
        const [, first, second] = SLASHES.exec(value.trim()) ?? []
        const isDay = Number(first) > 12
        // It could be both, or neither.
        if (first === undefined || isDay === Number(second) > 12) continue
        const order = isDay ? 'day' : 'month'
        const before = found.get(column)
        if (before === undefined && found.size === SURVEYED_MAX) continue
        found.set(column, (before ?? order) === order ? order : 'mixed')
      }
    },
    orders(): DateOrders {
      return Object.fromEntries([...found].filter(([, order]) => order !== 'mixed')) as DateOrders
    },
  }
}
