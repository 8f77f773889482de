import { useRouter } from '@tanstack/react-router'
import { useSetLanguage } from '../../app/language.tsx'
import { useSessionChanged } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { isLocale } from '../../i18n/locales.ts'
import { ownPage } from './search.ts'

/** Goes on after signing in: to the page that was asked for, else to the links. */
export function useArrive(): (next?: string) => Promise<void> {
  const router = useRouter()
  const sessionChanged = useSessionChanged()
  const setLanguage = useSetLanguage()
  const { locale } = useI18n()
  return async (next) => {
    const language = (await sessionChanged()).user?.language
    if (isLocale(language) && language !== locale) await setLanguage(language)
    await router.invalidate()
    const page = ownPage(next)
    if (page === undefined) await router.navigate({ to: '/links', replace: true })
    else router.history.replace(`/app${page}`)
  }
}
