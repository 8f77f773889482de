import { createContext, type ReactNode, use, useCallback, useState } from 'react'
import { setApiLanguage } from '../api/client.ts'
import { I18nProvider } from '../i18n/index.tsx'
import { loadMessages } from '../i18n/load.ts'
import { directionOf, isLocale, type Locale } from '../i18n/locales.ts'
import type { Messages } from '../i18n/messages.ts'
import { rememberLanguage } from './preferences.ts'

/** A loaded language. */
export interface Loaded {
  locale: Locale
  messages: Messages
}

/** The language of the first HTML, chosen by the server. */
export function firstLocale(): Locale {
  const { lang } = document.documentElement
  return isLocale(lang) ? lang : 'en'
}

/** Loads a language, and applies it to the page and the API. */
export async function enterLanguage(locale: Locale): Promise<Loaded> {
  const messages = await loadMessages(locale)
  document.documentElement.lang = locale
  document.documentElement.dir = directionOf(locale)
  setApiLanguage(locale)
  return { locale, messages }
}

const SwitchContext = createContext<(locale: Locale) => Promise<void>>(async () => {})

export function LanguageProvider({ first, children }: { first: Loaded; children: ReactNode }) {
  const [loaded, setLoaded] = useState(first)
  const change = useCallback(async (locale: Locale) => {
    setLoaded(await enterLanguage(locale))
    rememberLanguage(locale)
  }, [])
  return (
    <SwitchContext value={change}>
      <I18nProvider {...loaded}>{children}</I18nProvider>
    </SwitchContext>
  )
}

/** Changes the page's language, and saves it for this browser. */
export function useSetLanguage(): (locale: Locale) => Promise<void> {
  return use(SwitchContext)
}
