import { Fault } from '../../../lib/validation/fault.ts'
import { parseTimestamp } from '../../../lib/validation/timestamp.ts'

/** What is first in the dates with slashes of a column. */
export type DateOrder = 'day' | 'month'
/** The orders by column. Dates with slashes of other columns are ambiguous. */
export type DateOrders = Readonly<Record<string, DateOrder>>

/** The largest Unix time in seconds; larger numbers are milliseconds. */
const SECONDS_MAX = 100_000_000_000
/** Zeros mean “never” in several products and databases. */
const NONE = /^0*$|^0000-00-00(?:[ T]00:00:00)?$/

const CLOCK = String.raw`(?:[T ](\d{1,2}:\d\d)(:\d\d(?:\.\d{1,9})?)?(?: ?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$`
const ISO = new RegExp(String.raw`^(\d{4})-(\d\d)-(\d\d)${CLOCK}`, 'i')
const DOTS = new RegExp(String.raw`^(\d\d?)\.(\d\d?)\.(\d{4})${CLOCK}`, 'i')
const SLASHES = new RegExp(String.raw`^(\d\d?)/(\d\d?)/(\d{4})${CLOCK}`, 'i')

/**
 * A time as RFC 3339; without a zone it is UTC. Undefined: there is none. What is ambiguous, or no
 * day of the calendar, is returned unchanged, to be refused by the validation.
 * @param order of dates with slashes
 */
export function timeOf(value: unknown, order?: DateOrder): unknown {
  const text = String(value).trim()
  if (NONE.test(text)) return undefined
  if (/^\d{9,13}$/.test(text)) {
    const number = Number(text)
    return new Date(number < SECONDS_MAX ? number * 1000 : number).toISOString()
  }
  const ms = parseTimestamp(rfc3339Of(text, order))
  return ms instanceof Fault ? value : new Date(ms).toISOString()
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
  const [, , , , time = '00:00', seconds = ':00', zone = 'Z'] = match
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const offset = /^(?:Z|UTC)$/i.test(zone)
    ? 'Z'
    : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  return `${date}T${time.padStart(5, '0')}${seconds}${offset}`
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
