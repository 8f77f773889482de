import { useRouter } from '@tanstack/react-router'
import { useSessionChanged } from '../../app/workspace.tsx'
import { ownPage } from './search.ts'

/** Goes on after signing in: to the page that was asked for, else to the links. */
export function useArrive(): (next?: string) => Promise<void> {
  const router = useRouter()
  const sessionChanged = useSessionChanged()
  return async (next) => {
    await sessionChanged()
    await router.invalidate()
    const page = ownPage(next)
    if (page === undefined) await router.navigate({ to: '/links', replace: true })
    else router.history.replace(`/app${page}`)
  }
}
