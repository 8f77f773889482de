import { createContext, Fragment, type ReactNode, use, useMemo } from 'react'
import { createFormats, type Formats, regional } from './format.ts'
import { formatMessage, type Node, parseMessage, type Value } from './icu.ts'
import { directionOf, type Locale } from './locales.ts'
import type { MessageKey, Messages } from './messages.ts'

export type { MessageKey } from './messages.ts'
export type { Formats, Locale }

/** Values of a plain text. */
export type Values = Readonly<Record<string, string | number>>
/** Values of a text with elements; a function gets the content of its tag. */
type RichValues = Readonly<Record<string, Value<ReactNode>>>

/** The person's language: texts, numbers and dates. */
export interface I18n {
  locale: Locale
  /** With the person's region, for `Intl`. */
  regional: string
  dir: 'ltr' | 'rtl'
  /** A text. */
  t(key: MessageKey, values?: Values): string
  /** A text with elements in it. */
  rich(key: MessageKey, values: RichValues): ReactNode
  format: Formats
}

const parsed = new Map<string, Node[]>()
function nodesOf(message: string): Node[] {
  let nodes = parsed.get(message)
  if (nodes === undefined) {
    nodes = parseMessage(message)
    parsed.set(message, nodes)
  }
  return nodes
}

/** The texts of a loaded language. */
export function createI18n(locale: Locale, messages: Messages): I18n {
  const tag = regional(locale, globalThis.navigator?.languages ?? [])
  return {
    locale,
    regional: tag,
    dir: directionOf(locale),
    t: (key, values = {}) =>
      formatMessage<string>(nodesOf(messages[key] ?? key), values, tag).join(''),
    rich: (key, values) =>
      formatMessage<ReactNode>(nodesOf(messages[key] ?? key), values, tag).map((part, i) => (
        // The parts of a message are only identified by position.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Fragment key={i}>{part}</Fragment>
      )),
    format: createFormats(tag),
  }
}

const I18nContext = createContext<I18n | null>(null)

export function I18nProvider({
  locale,
  messages,
  children,
}: {
  locale: Locale
  messages: Messages
  children: ReactNode
}) {
  const i18n = useMemo(() => createI18n(locale, messages), [locale, messages])
  return <I18nContext value={i18n}>{children}</I18nContext>
}

/** The person's language. */
export function useI18n(): I18n {
  const i18n = use(I18nContext)
  if (i18n === null) throw new Error('useI18n needs an I18nProvider above it')
  return i18n
}
