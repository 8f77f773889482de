import type { Locale } from './locales.ts'
import type { Messages } from './messages.ts'

type Load = () => Promise<{ default: Messages }>

/** One chunk per language; written out, because the bundler needs static imports. */
const LOAD: Readonly<Record<Locale, Load>> = {
  en: () => import('virtual:messages/en'),
  de: () => import('virtual:messages/de'),
  fr: () => import('virtual:messages/fr'),
  es: () => import('virtual:messages/es'),
  it: () => import('virtual:messages/it'),
  'pt-BR': () => import('virtual:messages/pt-BR'),
  nl: () => import('virtual:messages/nl'),
  pl: () => import('virtual:messages/pl'),
  uk: () => import('virtual:messages/uk'),
  tr: () => import('virtual:messages/tr'),
  ar: () => import('virtual:messages/ar'),
  hi: () => import('virtual:messages/hi'),
  ja: () => import('virtual:messages/ja'),
  ko: () => import('virtual:messages/ko'),
  'zh-Hans': () => import('virtual:messages/zh-Hans'),
  'zh-Hant': () => import('virtual:messages/zh-Hant'),
}

export async function loadMessages(locale: Locale): Promise<Messages> {
  return (await LOAD[locale]()).default
}
