import { useSyncExternalStore } from 'react'
import type { Locale } from '../i18n/locales.ts'

/** Light, dark, or that of the system. */
export type Theme = 'system' | 'light' | 'dark'

const YEAR_S = 31_536_000

/**
 * Language, theme and workspace are in cookies instead of local storage, so that the server knows
 * them with the first request: nothing flickers, and the list of links is preloaded.
 */
function remember(name: string, value: string | null): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const age = value === null ? 0 : YEAR_S
  // The cookie store's own interface is missing without TLS.
  // biome-ignore lint/suspicious/noDocumentCookie: see above
  document.cookie = `${name}=${value ?? ''}; Path=/app; Max-Age=${age}; SameSite=Lax${secure}`
}

const themeChanged = new EventTarget()

function currentTheme(): Theme {
  const theme = document.documentElement.dataset.theme
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** The theme, now and whenever it changes: the menu and the account's page both show it. */
export function useTheme(): Theme {
  return useSyncExternalStore((listen) => {
    themeChanged.addEventListener('change', listen)
    return () => themeChanged.removeEventListener('change', listen)
  }, currentTheme)
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  remember('slugline_theme', theme === 'system' ? null : theme)
  themeChanged.dispatchEvent(new Event('change'))
}

/** Saves the person's language for the next first HTML; null: that of the browser. */
export function rememberLanguage(locale: Locale | null): void {
  remember('slugline_language', locale)
}

const WORKSPACE = /(?:^|; )slugline_workspace=([^;]*)/

/** The workspace last used in this browser. */
export function lastWorkspace(): string | undefined {
  return WORKSPACE.exec(document.cookie)?.[1]
}

export function rememberWorkspace(id: string): void {
  remember('slugline_workspace', id)
}
