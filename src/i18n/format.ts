import type { Locale } from './locales.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * A moment in a language's long form with the zone named, such as "January 31, 2030 at 9:00 AM UTC".
 * `timeZone` is an IANA name; an unknown one throws a RangeError. Pass validated names only: each pair
 * of language and zone is kept.
 */
export function formatDateTime(locale: Locale, date: Date, timeZone = 'UTC'): string {
  const key = `${locale} ${timeZone}`
  let format = formats.get(key)
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, {
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZone,
      timeZoneName: 'short',
    })
    formats.set(key, format)
  }
  return format.format(date)
}
