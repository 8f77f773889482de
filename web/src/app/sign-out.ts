import { request } from '../api/client.ts'
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
    location.assign('/app/sign-in')
  }
}
