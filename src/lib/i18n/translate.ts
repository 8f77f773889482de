import IntlMessageFormat from 'intl-messageformat'
import type { Locale, PseudoLocale } from './locales.ts'
import { MESSAGES, type MessageKey } from './messages.ts'

/** Values for the placeholders of a message. Lists are joined with "or" in the message's language. */
export type MessageParams = Readonly<Record<string, string | number | readonly string[]>>

type Values = Record<string, string | number>
type Elements = ReturnType<IntlMessageFormat['getAst']>

interface Compiled {
  readonly format: IntlMessageFormat
  /** What each missing argument is replaced by. */
  readonly missing: Readonly<Values>
}

// Bounded by the number of keys × languages.
const compiled = new Map<string, Compiled>()
const disjunctions = new Map<Locale, Intl.ListFormat>()
const pseudo = new Map<string, (source: string) => IntlMessageFormat>()

/** Adds a pseudo-locale generated from the English messages; until then it is English. */
export function addPseudoLocale(locale: PseudoLocale, make: (source: string) => IntlMessageFormat) {
  pseudo.set(locale, make)
}

/**
 * The text of a message in a language; numbers and plurals follow the language's rules. A missing
 * parameter selects the message's `none` branch, or is shown as `…`: rendering an error's text must
 * not throw. The result is plain text: escape it for HTML.
 */
export function translate(locale: Locale, key: MessageKey, params: MessageParams = {}): string {
  const make = pseudo.get(locale)
  const source = (locale in MESSAGES ? MESSAGES[locale as 'en'] : MESSAGES.en)[key]
  // Most messages of the public pages have no placeholder, so they skip the parser.
  if (make === undefined && !source.includes('{')) return source
  const id = `${locale} ${key}`
  const { format, missing } = compiled.get(id) ?? compile(make?.(source) ?? parse(source, locale))
  compiled.set(id, { format, missing })
  const given = valuesOf(locale, params)
  const text = String(format.format({ ...missing, ...given }))
  if (Object.keys(missing).every((name) => name in given)) return text
  // A missing number is formatted as the language's "not a number".
  return text.replaceAll(new Intl.NumberFormat(locale).format(Number.NaN), '…')
}

function parse(source: string, locale: Locale): IntlMessageFormat {
  return new IntlMessageFormat(source, locale, undefined, { ignoreTag: true })
}

function compile(format: IntlMessageFormat): Compiled {
  const missing: Values = {}
  const visit = (elements: Elements) => {
    for (const element of elements) {
      const isLiteral = Number(element.type) === 0
      if (!isLiteral && 'value' in element) missing[element.value] ??= '…'
      if (!('options' in element)) continue
      if ('none' in element.options) missing[element.value] = 'none'
      for (const option of Object.values(element.options)) visit(option.value)
    }
  }
  visit(format.getAst())
  return { format, missing }
}

function valuesOf(locale: Locale, params: MessageParams): Values {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'object' ? join(locale, value) : value,
    ]),
  )
}

/**
 * List items are in Latin letters; these languages put spaces between those and their own script.
 */
const SPACED = /^(?:ja|zh)/

function spaced(conjunction: string): string {
  return conjunction.replace(/^(?=[^\s、，])/, ' ').replace(/(?<=[^\s、，])$/, ' ')
}

function join(locale: Locale, items: readonly string[]): string {
  let format = disjunctions.get(locale)
  if (format === undefined) {
    format = new Intl.ListFormat(locale, { type: 'disjunction' })
    disjunctions.set(locale, format)
  }
  if (!SPACED.test(locale)) return format.format(items)
  const parts = format.formatToParts(items)
  return parts.map(({ type, value }) => (type === 'literal' ? spaced(value) : value)).join('')
}

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * A date and time in a language's long format with the zone, such as "January 31, 2030 at 9:00 AM
 * UTC". `timeZone` is an IANA name; an unknown one throws a RangeError. Pass validated names only:
 * the formatter of each pair of language and zone stays in memory.
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
