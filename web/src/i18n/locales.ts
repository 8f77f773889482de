import { LOCALES, type SupportedLocale } from '@src/lib/i18n/locales.ts'

export { LOCALES }
export type Locale = SupportedLocale

/** The languages' own names. */
export const LANGUAGE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  'pt-BR': 'Português (Brasil)',
  nl: 'Nederlands',
  pl: 'Polski',
  uk: 'Українська',
  tr: 'Türkçe',
  ar: 'العربية',
  hi: 'हिन्दी',
  ja: '日本語',
  ko: '한국어',
  'zh-Hans': '简体中文',
  'zh-Hant': '繁體中文',
}

/** The languages, to choose from. */
export const LANGUAGE_OPTIONS: readonly { value: string; label: string }[] = Object.entries(
  LANGUAGE_NAMES,
).map(([value, label]) => ({ value, label }))

export function isLocale(tag: string | null | undefined): tag is Locale {
  return (LOCALES as readonly (string | null | undefined)[]).includes(tag)
}

export function directionOf(locale: Locale): 'ltr' | 'rtl' {
  return locale === 'ar' ? 'rtl' : 'ltr'
}
