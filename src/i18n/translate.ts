import IntlMessageFormat from 'intl-messageformat'
import { argumentsOf } from './ast.ts'
import { isPseudoLocale, type Locale } from './locales.ts'
import { MESSAGES, type MessageKey } from './messages.ts'
import { pseudoMessage } from './pseudo.ts'

/** Values for the placeholders of a message. Lists are joined with "or" in the message's language. */
export type MessageParams = Readonly<Record<string, string | number | readonly string[]>>

type Values = Record<string, string | number>

interface Compiled {
  readonly format: IntlMessageFormat
  readonly all: readonly string[]
  readonly optional: readonly string[]
}

// Bounded by what exists: keys × languages.
const compiled = new Map<Locale, Map<MessageKey, Compiled>>()
const disjunctions = new Map<Locale, Intl.ListFormat>()

/**
 * The text of a message in a language; numbers and plurals follow that language's rules. A parameter
 * that is missing takes the message's `none` branch, or is shown as `…`: nothing is thrown, for the
 * text of an error must not be what fails. The result is plain text: escape it for HTML.
 */
export function translate(locale: Locale, key: MessageKey, params: MessageParams = {}): string {
  if (!isPseudoLocale(locale)) {
    const source = MESSAGES[locale][key]
    // Most messages of the public pages have no placeholder and needn't be parsed.
    if (!source.includes('{')) return source
  }
  const { format, all, optional } = compile(locale, key)
  const values = valuesOf(locale, params)
  if (all.every((name) => name in values)) return String(format.format(values))
  for (const name of all) values[name] ??= optional.includes(name) ? 'none' : '…'
  // A plural or a number that was given no number comes out as the language's "not a number".
  const notANumber = new Intl.NumberFormat(locale).format(Number.NaN)
  return String(format.format(values)).replaceAll(notANumber, '…')
}

function compile(locale: Locale, key: MessageKey): Compiled {
  const messages = compiled.get(locale) ?? new Map<MessageKey, Compiled>()
  compiled.set(locale, messages)
  let message = messages.get(key)
  if (message === undefined) {
    const format = isPseudoLocale(locale)
      ? pseudoMessage(locale, MESSAGES.en[key])
      : new IntlMessageFormat(MESSAGES[locale][key], locale, undefined, { ignoreTag: true })
    message = { format, ...argumentsOf(format.getAst()) }
    messages.set(key, message)
  }
  return message
}

function valuesOf(locale: Locale, params: MessageParams): Values {
  const values: Values = {}
  for (const [name, value] of Object.entries(params)) {
    values[name] =
      typeof value === 'string' || typeof value === 'number' ? value : join(locale, value)
  }
  return values
}

/** Items are in Latin letters; in these languages, spaces separate those from the text around. */
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
