import { betweenSentences } from '@src/lib/i18n/locales.ts'
import { isolated } from './icu.ts'
import type { Locale } from './locales.ts'

type Time = string | number | Date

/** Formats dates and numbers for the person's region and time zone. */
export type Formats = ReturnType<typeof createFormats>

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
const MONTH_MS = 30 * 86_400_000
/** The space before a short word that ends a time or date: AM, PM, year. */
const LAST_WORD = / (?=[\p{L}.]{1,4}$)/u

/**
 * The browser's regional variant of the language: dates in en-GB differ from en-US. Always with the
 * digits 0–9, as in URLs, input fields and keys in any language.
 */
export function regional(locale: Locale, wishes: readonly string[]): string {
  const tag = wishes.find((wish) => wish === locale || wish.startsWith(`${locale}-`)) ?? locale
  return new Intl.Locale(tag, { numberingSystem: 'latn' }).toString()
}

/** Each of Intl's objects is made when it is first needed. */
export function createFormats(locale: string) {
  const lazy = <Made, Input>(make: () => Made, use: (made: Made, input: Input) => string) => {
    let made: Made | undefined
    return (input: Input) => {
      made ??= make()
      return use(made, input)
    }
  }
  const numbers = (options: Intl.NumberFormatOptions = {}) =>
    lazy(
      () => new Intl.NumberFormat(locale, options),
      (format, value: number) => format.format(value),
    )
  const dates = (options: Intl.DateTimeFormatOptions) =>
    lazy(
      () => new Intl.DateTimeFormat(locale, options),
      // "2:00 PM" stays in one line.
      (format, time: Time) => format.format(new Date(time)).replace(LAST_WORD, '\u00a0'),
    )
  const lists = (type: 'conjunction' | 'disjunction') =>
    lazy(
      () => new Intl.ListFormat(locale, { type }),
      (format, items: readonly string[]) =>
        format.format(items.map((item) => isolated(item, locale))),
    )
  const date = dates({ dateStyle: 'medium' })
  const ago = (style: 'long' | 'short') => {
    const words = lazy(
      () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style }),
      (format, [count, unit]: [number, Intl.RelativeTimeFormatUnit]) => format.format(count, unit),
    )
    return (time: Time, now = Date.now()) => {
      const ms = new Date(time).getTime() - now
      if (Math.abs(ms) >= MONTH_MS) return date(time)
      const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', Infinity]
      return words([Math.trunc(ms / unitMs), unit])
    }
  }
  return {
    number: numbers(),
    /** 1,2 Mio. or 1.2M, for narrow places. */
    compact: numbers({ notation: 'compact', maximumFractionDigits: 1, useGrouping: 'always' }),
    /** A share from 0 to 1. */
    percent: numbers({ style: 'percent', maximumFractionDigits: 1 }),
    /** For a column: with a fixed number of digits. */
    percentColumn: numbers({
      style: 'percent',
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    }),
    /** A day. */
    date,
    /** A time of the day to the minute. */
    time: dates({ timeStyle: 'short' }),
    /** A day and a time to the minute. */
    dateTime: dates({ dateStyle: 'medium', timeStyle: 'short' }),
    /** To the second, with the time zone: for tool tips. */
    exact: dates({ dateStyle: 'full', timeStyle: 'long' }),
    /** "3 minutes ago", "in 2 days"; a date if it's more than a month away. */
    relative: ago('long'),
    /** The same, shorter. */
    relativeShort: ago('short'),
    list: lists('conjunction'),
    /** Alternatives: "a, b or c". */
    either: lists('disjunction'),
    /** Sentences as one text: with spaces between them, if the language has any. */
    sentences: (all: readonly string[]) => all.join(betweenSentences(locale)),
  }
}
