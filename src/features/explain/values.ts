import { formatDateTime, hasMessage, type Locale, translate } from '../../lib/i18n/index.ts'
import { isOvernight, type TimeWindow } from '../../redirect/rules/types.ts'

/** The alternatives of a rule's condition in readable form: "Germany (DE)". */
export function conditionText(locale: Locale, member: string, expected: unknown): string[] {
  if (member === 'query') return [queryText(locale, expected as Record<string, string[]>)]
  if (member === 'time') return [windowText(locale, expected as TimeWindow)]
  return [expected].flat().map((value) => valueText(locale, member, value))
}

/** A value of a visit or a link in readable form. */
export function valueText(locale: Locale, what: string, value: unknown): string {
  if (value === null || value === undefined) return translate(locale, 'explain.unknown')
  if (typeof value === 'number') return new Intl.NumberFormat(locale).format(value)
  if (typeof value !== 'string') {
    if (what === 'query') return queryText(locale, value as Record<string, string[]>)
    const { name, min } = value as { name: string; min?: string }
    return min === undefined ? name : `${name} ${min}+`
  }
  if (what === 'country') return named(locale, 'region', value)
  if (what === 'language') return named(locale, 'language', value)
  if (what === 'time') return timeText(locale, value)
  if (what === 'starts_at' || what === 'expires_at') {
    return formatDateTime(locale, new Date(value))
  }
  const key = `explain.${what}.${value}`
  return hasMessage(key) ? translate(locale, key) : value
}

/** With its code, which is what the rule contains. */
function named(locale: Locale, type: 'region' | 'language', code: string): string {
  try {
    const name = new Intl.DisplayNames(locale, { type, fallback: 'none' }).of(code)
    return name === undefined ? code : `${name} (${code})`
  } catch {
    return code
  }
}

function queryText(locale: Locale, parameters: Record<string, string[]>): string {
  const texts = Object.entries(parameters).map(([name, values]) =>
    values.length === 0
      ? translate(locale, 'explain.absent', { name })
      : `${name}=${values.join('|')}`,
  )
  return texts.join(', ')
}

/** @param zoned in Temporal's format, with its zone */
function timeText(locale: Locale, zoned: string): string {
  const { epochMilliseconds, timeZoneId } = Temporal.ZonedDateTime.from(zoned)
  return new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: timeZoneId,
  }).format(epochMilliseconds)
}

/** Any Monday. */
const MONDAY = Date.UTC(2024, 0, 1)
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

function windowText(
  locale: Locale,
  { timezone, from, until, days = [], hours = [] }: TimeWindow,
): string {
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })
  const dayText = (day: string) => weekday.format(MONDAY + DAYS.indexOf(day) * 86_400_000)
  const dates = (from ?? until) ? [`${from ?? ''} – ${until ?? ''}`.trim()] : []
  const spans = hours.map((span) => span.join('–') + (isOvernight(span) ? ' (+1)' : ''))
  return `${[...dates, ...days.map(dayText), ...spans].join(', ')} (${timezone})`
}
