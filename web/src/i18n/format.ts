import type { Locale } from './locales.ts'

/** Formats dates and numbers for the person's region and time zone. */
export interface Formats {
  number(value: number): string
  /** 1,2 Mio. or 1.2M, for narrow places. */
  compact(value: number): string
  /** A share from 0 to 1. */
  percent(share: number): string
  /** For a column: with a fixed number of digits. */
  percentColumn(share: number): string
  /** A day. */
  date(time: string | number | Date): string
  /** A time of the day to the minute. */
  time(time: string | number | Date): string
  /** A day and a time to the minute. */
  dateTime(time: string | number | Date): string
  /** To the second, with the time zone: for tool tips. */
  exact(time: string | number | Date): string
  /** "3 minutes ago", "in 2 days"; a date if it's more than a month away. */
  relative(time: string | number | Date, now?: number): string
  /** The same, shorter. */
  relativeShort(time: string | number | Date, now?: number): string
  list(items: readonly string[]): string
  /** Alternatives: "a, b or c". */
  either(items: readonly string[]): string
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
const MONTH_MS = 30 * 86_400_000

/**
 * The browser's regional variant of the language: dates in en-GB differ from en-US. Always with the
 * digits 0–9, as in URLs, input fields and keys in any language.
 */
export function regional(locale: Locale, wishes: readonly string[]): string {
  const tag = wishes.find((wish) => wish === locale || wish.startsWith(`${locale}-`)) ?? locale
  return new Intl.Locale(tag, { numberingSystem: 'latn' }).toString()
}

export function createFormats(locale: string): Formats {
  const lazy = <T>(make: () => T) => {
    let made: T | undefined
    return () => (made ??= make())
  }
  const number = lazy(() => new Intl.NumberFormat(locale))
  const compact = lazy(
    () => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }),
  )
  const percent = lazy(
    () => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
  )
  const percentColumn = lazy(() => {
    const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
    return new Intl.NumberFormat(locale, { style: 'percent', ...digits })
  })
  const date = lazy(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }))
  const clock = lazy(() => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }))
  const dateTime = lazy(
    () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
  )
  const exact = lazy(
    () => new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' }),
  )
  const relative = lazy(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
  const relativeShort = lazy(
    () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }),
  )
  const list = lazy(() => new Intl.ListFormat(locale))
  const either = lazy(() => new Intl.ListFormat(locale, { type: 'disjunction' }))
  function ago(words: Intl.RelativeTimeFormat, time: string | number | Date, now = Date.now()) {
    const ms = new Date(time).getTime() - now
    if (Math.abs(ms) >= MONTH_MS) return date().format(new Date(time))
    for (const [unit, unitMs] of UNITS) {
      if (Math.abs(ms) >= unitMs) return words.format(Math.trunc(ms / unitMs), unit)
    }
    return words.format(0, 'second')
  }
  return {
    number: (value) => number().format(value),
    compact: (value) => compact().format(value),
    percent: (share) => percent().format(share),
    percentColumn: (share) => percentColumn().format(share),
    date: (time) => date().format(new Date(time)),
    time: (time) => clock().format(new Date(time)),
    dateTime: (time) => dateTime().format(new Date(time)),
    exact: (time) => exact().format(new Date(time)),
    relative: (time, now) => ago(relative(), time, now),
    relativeShort: (time, now) => ago(relativeShort(), time, now),
    list: (items) => list().format(items),
    either: (items) => either().format(items),
  }
}
