import { DAY_MS, INTERVALS, type Interval } from '@src/statistics/intervals.ts'

/** Predefined ranges; `custom` has its own dates. */
export const RANGES = [
  'today',
  'yesterday',
  '7d',
  '30d',
  '90d',
  '12m',
  'year',
  'all',
  'custom',
] as const
export type Range = (typeof RANGES)[number]

/** The keys that choose a range, as in Plausible where it has one. */
export const RANGE_KEYS = {
  today: 'd',
  yesterday: 'e',
  '7d': 'w',
  '30d': 'm',
  '90d': 'q',
  '12m': 'l',
  year: 'y',
  all: 'a',
} as const satisfies Partial<Record<Range, string>>

/** The ranges of a link's own page. */
export const LINK_RANGES = ['today', 'yesterday', '7d', '30d', '90d'] as const

/** What a period is compared with; `custom` begins on a chosen day. */
export const COMPARISONS = ['period', 'year', 'custom', 'none'] as const
export type Comparison = (typeof COMPARISONS)[number]

export { INTERVALS, type Interval }

/** Days from `from` to `to` (exclusive); both `YYYY-MM-DD` in the chosen time zone. */
export interface Period {
  from: string
  to: string
}

/** The current date in a time zone. */
export function dayIn(timeZone: string, now = new Date()): string {
  // Swedish dates have the format of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now)
}

/** The date a number of days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** How many days a period has. */
export function daysOf({ from, to }: Period): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS)
}

/**
 * The days of a range. A custom one includes both of its dates, in any order; if one is missing, it
 * means the last 30 days.
 */
export function periodOf(
  {
    range,
    from,
    to,
    since,
  }: {
    range: Range
    from?: string | undefined
    to?: string | undefined
    /** The time of the first possible click: the start of "all time". */
    since?: string | undefined
  },
  timeZone: string,
  now = new Date(),
): Period {
  const today = dayIn(timeZone, now)
  const end = addDays(today, 1)
  switch (range) {
    case 'today':
      return { from: today, to: end }
    case 'yesterday':
      return { from: addDays(today, -1), to: today }
    case '7d':
      return { from: addDays(today, -6), to: end }
    case '90d':
      return { from: addDays(today, -89), to: end }
    case '12m':
      return { from: addDays(yearBefore(today), 1), to: end }
    case 'all':
      if (since !== undefined) return { from: dayIn(timeZone, new Date(since)), to: end }
      break
    case 'year':
      return { from: `${today.slice(0, 4)}-01-01`, to: end }
    case 'custom':
      if (isDay(from) && isDay(to)) {
        return from <= to ? { from, to: addDays(to, 1) } : { from: to, to: addDays(from, 1) }
      }
      break
    default:
  }
  return { from: addDays(today, -29), to: end }
}

/** The compared period of the same length: just before, a year before, or from a day on. */
export function comparedPeriod(
  period: Period,
  comparison: Comparison,
  against: string | undefined,
): Period | null {
  const days = daysOf(period)
  const before = { from: addDays(period.from, -days), to: period.from }
  if (comparison === 'none') return null
  if (comparison === 'period') return before
  const from = comparison === 'year' ? yearBefore(period.from) : against
  return isDay(from) ? { from, to: addDays(from, days) } : before
}

/** The same date a year earlier; for 29 February the 28th. */
function yearBefore(day: string): string {
  const before = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`
  return isDay(before) ? before : addDays(day, -366)
}

/** Intervals that make a readable chart of a period: at least two and at most 400 buckets. */
export function intervalsFor(period: Period): Interval[] {
  const days = daysOf(period)
  return INTERVALS.filter((interval) => {
    if (interval === 'hour') return days <= 14
    if (interval === 'day') return days > 1 && days <= 400
    if (interval === 'week') return days > 14
    return days > 60
  })
}

/** The default interval of a period. */
export function intervalFor(period: Period): Interval {
  const days = daysOf(period)
  if (days <= 2) return 'hour'
  if (days <= 120) return 'day'
  return days <= 400 ? 'week' : 'month'
}

/** Whether a text is a valid date. */
export function isDay(text: string | undefined): text is string {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** The browser's time zone. */
export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

/** Whether this browser knows a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
