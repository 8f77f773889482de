import { request } from '../api/client.ts'
import { forgetDrafts } from '../features/links/form/kept-draft.ts'
import { useShowError } from '../ui/toast.tsx'

/** Ends the session and opens the sign-in page; shows why if that fails. */
export function useSignOut(): () => Promise<void> {
  const showError = useShowError()
  return async () => {
    try {
      await request('POST', '/api/auth/sign-out', { body: {} })
    } catch (error) {
      showError(error)
      return
    }
    forgetDrafts()
    location.assign('/app/sign-in')
  }
}
