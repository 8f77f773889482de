import { lazy, Suspense, useEffect, useState } from 'react'
import { onConfirmNeeded } from '../../api/client.ts'
import { part } from '../../lib/part.ts'

const ConfirmDialog = lazy(() => part(() => import('./confirm-identity-dialog.tsx')))

/** Asks for the password when the server requires a confirmation; then the request is retried. */
export function ConfirmIdentity() {
  const [answer, setAnswer] = useState<((confirmed: boolean) => void) | null>(null)
  useEffect(() => {
    // Requests that are refused at the same time wait for the same answer.
    let asking: Promise<boolean> | undefined
    return onConfirmNeeded(() => {
      asking ??= new Promise((resolve) => {
        setAnswer(() => (confirmed: boolean) => {
          asking = undefined
          setAnswer(null)
          resolve(confirmed)
        })
      })
      return asking
    })
  }, [])
  return answer === null ? null : (
    <Suspense>
      <ConfirmDialog onAnswer={answer} />
    </Suspense>
  )
}
