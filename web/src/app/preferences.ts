import type { Locale } from '../i18n/locales.ts'

/** Light, dark, or as the system has it. */
export type Theme = 'system' | 'light' | 'dark'

const YEAR_S = 31_536_000

/**
 * Language and theme are kept in cookies and not in the browser's storage, so that the server can
 * put both into the first HTML: nothing flickers, and no script is needed before the page.
 */
function remember(name: string, value: string | null): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const age = value === null ? 0 : YEAR_S
  // The cookie store's own interface is missing without TLS.
  // biome-ignore lint/suspicious/noDocumentCookie: see above
  document.cookie = `${name}=${value ?? ''}; Path=/app; Max-Age=${age}; SameSite=Lax${secure}`
}

export function currentTheme(): Theme {
  const theme = document.documentElement.dataset.theme
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  remember('slugline_theme', theme === 'system' ? null : theme)
}

/** Keeps the language that the person chose, for the next first HTML. */
export function rememberLanguage(locale: Locale): void {
  remember('slugline_language', locale)
}
