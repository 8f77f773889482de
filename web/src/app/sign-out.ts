import { request } from '../api/client.ts'
import { forgetDrafts } from '../features/links/form/kept-draft.ts'
import { useAction } from '../ui/toast.tsx'

/** Ends the session and opens the sign-in page; shows why if that fails. */
export function useSignOut(): () => void {
  const { mutate } = useAction(
    () => request('POST', '/api/auth/sign-out', { body: {} }),
    () => {
      forgetDrafts()
      location.assign('/app/sign-in')
    },
  )
  return () => mutate()
}
