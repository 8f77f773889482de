/** The languages of the messages (BCP 47, RFC 5646). */
export const LOCALES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt-BR',
  'nl',
  'pl',
  'uk',
  'tr',
  'ar',
  'hi',
  'ja',
  'ko',
  'zh-Hans',
  'zh-Hant',
] as const

/** Generated from English for tests: accented and lengthened, and right-to-left (UTS #35). */
export const PSEUDO_LOCALES = ['en-XA', 'ar-XB'] as const

/** A language that messages are translated into. */
export type SupportedLocale = (typeof LOCALES)[number]
export type PseudoLocale = (typeof PSEUDO_LOCALES)[number]
/** The languages of `translate`. Only tests use pseudo-locales. */
export type Locale = SupportedLocale | PseudoLocale

/** The language of last resort. */
export const DEFAULT_LOCALE = 'en' satisfies SupportedLocale

const supported: ReadonlySet<string> = new Set(LOCALES)

/** Whether a tag is exactly one of LOCALES, to check a stored or configured language. */
export function isSupportedLocale(tag: string): tag is SupportedLocale {
  return supported.has(tag)
}

/** The value of HTML's `dir` attribute for a language. */
export function direction(locale: Locale): 'ltr' | 'rtl' {
  return locale === 'ar' || locale === 'ar-XB' ? 'rtl' : 'ltr'
}

/** What stands between two sentences: nothing where a full stop is as wide as a letter. */
export function betweenSentences(locale: string): '' | ' ' {
  return /^(?:ja|zh)/.test(locale) ? '' : ' '
}
