import { DAY_MS, HOUR_MS } from '@src/statistics/intervals.ts'
import type { I18n, MessageKey } from '../../i18n/index.tsx'
import type { Filter, Listed } from './filters.ts'
import type { Interval } from './range.ts'
import { sourceName } from './sources.ts'

const DEVICES = {
  desktop: 'statistics.device.desktop',
  mobile: 'statistics.device.mobile',
  tablet: 'statistics.device.tablet',
  tv: 'statistics.device.tv',
  console: 'statistics.device.console',
  wearable: 'statistics.device.wearable',
  bot: 'statistics.device.bot',
  other: 'statistics.device.other',
} as const satisfies Record<string, MessageKey>

const displayNames = new Map<string, Intl.DisplayNames>()

/** The browser's name of a code, or the code itself. */
function nameOf(type: 'region' | 'language', code: string, locale: string): string {
  const key = `${locale} ${type}`
  let names = displayNames.get(key)
  if (names === undefined) {
    names = new Intl.DisplayNames(locale, { type })
    displayNames.set(key, names)
  }
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}

/** A country's name in the person's language. */
export function countryName(code: string, { regional }: Pick<I18n, 'regional'>): string {
  return nameOf('region', code, regional)
}

/** A short address without its scheme, in its own script. */
export function shortName(url: string): string {
  const bare = url.replace(/^https?:\/\//, '')
  try {
    return decodeURI(bare)
  } catch {
    return bare
  }
}

/** The readable name of a dimension's value. */
export function valueName(dimension: Listed, value: string | number | null, i18n: I18n): string {
  const { t, regional } = i18n
  if (value === null || value === '') return noneName(dimension, i18n)
  const text = String(value)
  switch (dimension) {
    case 'country':
      return countryName(text, i18n)
    case 'referrer':
      return sourceName(text)
    case 'language':
      return nameOf('language', text, regional)
    case 'device':
      return text in DEVICES ? t(DEVICES[text as keyof typeof DEVICES]) : text
    case 'trigger':
      return text === 'qr' ? t('statistics.trigger.qr') : t('statistics.trigger.click')
    case 'hour':
      return new Intl.DateTimeFormat(regional, {
        hour: 'numeric',
        minute: '2-digit',
        timeZone: 'UTC',
      }).format(Number(value) * HOUR_MS)
    case 'weekday':
      // The 5th of January 1970 was a Monday.
      return new Intl.DateTimeFormat(regional, { weekday: 'long', timeZone: 'UTC' }).format(
        (Number(value) + 3) * DAY_MS,
      )
    default:
      return text
  }
}

function noneName(dimension: Listed, { t }: I18n): string {
  if (dimension === 'referrer' || dimension === 'referrer_path') {
    return t('statistics.none.referrer')
  }
  if (dimension === 'country' || dimension === 'tag' || dimension === 'folder') {
    return t(`statistics.none.${dimension}`)
  }
  return t(dimension.startsWith('utm_') ? 'statistics.none.utm' : 'statistics.none.other')
}

/** A filter in words, with the names of its values. */
export function filterName(
  { dimension, match }: Filter,
  names: readonly string[],
  i18n: I18n,
): string {
  const label = i18n.t(`statistics.dimension.${dimension}`)
  const [only = '', ...more] = names
  const shown = more.length === 0 ? only : i18n.format.either(names)
  if (match === 'is') return i18n.t('common.labelled', { label, value: shown })
  return i18n.t(`statistics.filter.${match}`, { dimension: label, value: shown })
}

/** Formats a bucket's start: short for an axis, and in full; and the whole bucket. */
export function bucketFormats(interval: Interval, zone: string, days: number, locale: string) {
  const make = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: zone, ...options })
    return (start: string) => format.format(new Date(start))
  }
  const day = { day: 'numeric', month: 'short' } as const
  const time = { hour: 'numeric', minute: '2-digit' } as const
  const year = { year: 'numeric' } as const
  const same = (tick: (start: string) => string, title: (start: string) => string) => ({
    tick,
    title,
    span: title,
  })
  switch (interval) {
    case 'hour':
      return same(
        make(days > 2 ? { ...day, hour: 'numeric' } : time),
        make({ weekday: 'short', ...day, ...time }),
      )
    case 'month':
      return same(
        make({ month: 'short', ...(days > 366 ? { year: '2-digit' } : {}) }),
        make({ month: 'long', ...year }),
      )
    default: {
      const formats = same(
        make(days > 366 ? { ...day, ...year } : day),
        make({ weekday: 'short', ...day, ...year }),
      )
      if (interval === 'day') return formats
      const week = new Intl.DateTimeFormat(locale, { timeZone: zone, ...day, ...year })
      // Noon of the last day, so that a change of the clocks doesn't matter.
      const end = (start: string) => Date.parse(start) + 6.5 * DAY_MS
      return { ...formats, span: (start: string) => week.formatRange(new Date(start), end(start)) }
    }
  }
}
