import { rememberLanguage } from '../../app/preferences.ts'
import { useSessionChanged } from '../../app/workspace.tsx'
import { isLocale } from '../../i18n/locales.ts'
import { ownPage } from './search.ts'

/** Continues after signing in: with the requested page, else the links. */
export function useArrive(): (next?: string) => Promise<never> {
  const sessionChanged = useSessionChanged()
  return async (next) => {
    const language = (await sessionChanged()).user?.language
    if (isLocale(language)) rememberLanguage(language)
    return leaveFor(`/app${ownPage(next) ?? '/links'}`)
  }
}

/** Loads another page; this one stays pending until it is replaced. */
export function leaveFor(address: string): Promise<never> {
  location.replace(address)
  return new Promise(() => {})
}
