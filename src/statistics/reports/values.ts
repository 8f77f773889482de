import { CLICK_DETAILS } from '../../lib/base/click-columns.ts'
import { KIND_NAMES } from '../columns.ts'
import { DAY_MS, HOUR_MS } from '../intervals.ts'
import type { BotsMode, Dimension, Filter, ZoneOffset } from '../types.ts'
import type { Bind, Dialect } from './dialect.ts'

const NUMERIC: ReadonlySet<Dimension> = new Set(['hour', 'weekday', 'domain', 'link'])

/** Whether a dimension's values are numbers. */
export const isNumeric = (dimension: Dimension) => NUMERIC.has(dimension)

/** Hours and weekdays are milliseconds in SQL, where `/` differs between the engines. */
const UNITS: Partial<Record<Dimension, { unit: number; plus: number }>> = {
  hour: { unit: HOUR_MS, plus: 0 },
  weekday: { unit: DAY_MS, plus: 1 },
}

const CODED: ReadonlySet<string> = new Set(['country', 'region', 'language', 'referrer', 'device'])
/** Free texts, which are filtered in any case. */
const FREE_TEXT: ReadonlySet<Dimension> = new Set(CLICK_DETAILS.filter((name) => !CODED.has(name)))

/** The name of a click's kind. */
export const KIND_SQL = `CASE kind ${KIND_NAMES.map((name, kind) => `WHEN ${kind} THEN '${name}'`).join(' ')} END`

/** A click's trigger. */
export const TRIGGER_SQL = `CASE WHEN qr THEN 'qr' ELSE 'click' END`

/** The SQL of a dimension's value. @param time SQL of the click's time */
export function valueSql(
  dimension: Dimension,
  offsets: readonly ZoneOffset[],
  time = 'time',
): string {
  const local = localTimeSql(offsets, time)
  switch (dimension) {
    case 'trigger':
      return TRIGGER_SQL
    case 'kind':
      return KIND_SQL
    case 'hour':
      return `(${local} % ${DAY_MS} - ${local} % ${HOUR_MS})`
    case 'weekday':
      // The Unix epoch was a Thursday.
      return `((${local} + ${3 * DAY_MS}) % ${7 * DAY_MS} - ${local} % ${DAY_MS})`
    default:
      return dimension
  }
}

/** A dimension's value as reports give it, from a row of {@link valueSql}. */
export function dimensionValue(dimension: Dimension, value: unknown): string | number | null {
  if (value === null) return null
  if (!isNumeric(dimension)) return String(value)
  const { unit, plus } = UNITS[dimension] ?? { unit: 1, plus: 0 }
  return Number(value) / unit + plus
}

/** The condition of a filter. */
export function filterSql(
  dialect: Dialect,
  bind: Bind,
  { dimension, match, values }: Filter,
  offsets: readonly ZoneOffset[],
): string {
  const value = valueSql(dimension, offsets)
  const known = values.filter((it) => it !== null)
  if (match === 'contains') {
    const parts = known.map((it) => dialect.lower(bind(String(it))))
    return `(${parts.map((part) => `position(${part} IN ${dialect.lower(value)}) > 0`).join(' OR ')})`
  }
  const tests = values.includes(null) ? [`${value} IS NULL`] : []
  if (known.length > 0 && isNumeric(dimension)) {
    const { unit, plus } = UNITS[dimension] ?? { unit: 1, plus: 0 }
    const numbers = known.map((it) => (Number(it) - plus) * unit)
    tests.push(dialect.among(value, numbers, bind))
  } else if (known.length > 0) {
    const form = FREE_TEXT.has(dimension) ? dialect.lower : (it: string) => it
    const texts = known.map((it) => form(bind(String(it))))
    tests.push(`${form(value)} IN (${texts.join(', ')})`)
  }
  const matches = `(${tests.join(' OR ') || '1 = 0'})`
  // A comparison with null is unknown, which counts as no match.
  return match === 'not' ? `NOT coalesce(${matches}, 1 = 0)` : matches
}

/** The condition on `kind` of a mode. */
export function modeSql(bots: BotsMode): string {
  return { exclude: 'kind = 0', only: 'kind <> 0', include: '1 = 1' }[bots]
}

/** The clock time of the zone, in milliseconds. */
function localTimeSql(offsets: readonly ZoneOffset[], time: string): string {
  const [first, ...later] = offsets
  if (first === undefined) return time
  if (later.length === 0) return `(${time} + ${first.offsetMs})`
  const cases = later
    .toReversed()
    .map(({ from, offsetMs }) => `WHEN ${time} >= ${from} THEN ${offsetMs}`)
  return `(${time} + CASE ${cases.join(' ')} ELSE ${first.offsetMs} END)`
}
