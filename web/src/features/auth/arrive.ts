import { rememberLanguage } from '../../app/preferences.ts'
import { useSessionChanged } from '../../app/workspace.tsx'
import { isLocale } from '../../i18n/locales.ts'
import { ownPage } from './search.ts'

/** Goes on after signing in: to the page that was asked for, else to the links. */
export function useArrive(): (next?: string) => Promise<never> {
  const sessionChanged = useSessionChanged()
  return async (next) => {
    const language = (await sessionChanged()).user?.language
    if (isLocale(language)) rememberLanguage(language)
    return leaveFor(`/app${ownPage(next) ?? '/links'}`)
  }
}

/** Loads another page in place of this one, which goes on waiting until it is gone. */
export function leaveFor(address: string): Promise<never> {
  location.replace(address)
  return new Promise(() => {})
}
