import { lazy, Suspense, useEffect, useState } from 'react'
import { onSignedOut } from '../../api/client.ts'
import { part } from '../../lib/part.ts'

const SignInAgainDialog = lazy(() => part(() => import('./sign-in-again-dialog.tsx')))

/** Asks for a sign-in over the page when the session has ended; then the requests are retried. */
export function SignInAgain() {
  const [answer, setAnswer] = useState<(() => void) | null>(null)
  useEffect(() => {
    let asking: Promise<boolean> | undefined
    return onSignedOut(() => {
      asking ??= new Promise((resolve) => {
        setAnswer(() => () => {
          asking = undefined
          setAnswer(null)
          resolve(true)
        })
      })
      return asking
    })
  }, [])
  return answer === null ? null : (
    <Suspense>
      <SignInAgainDialog onDone={answer} />
    </Suspense>
  )
}
