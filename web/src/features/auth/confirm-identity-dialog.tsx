import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { PasswordField } from './password-field.tsx'
import { confirmSession, signOut } from './queries.ts'

/** Confirms the person's identity by password or, without one, by signing in again. */
export default function ConfirmDialog({ onAnswer }: { onAnswer: (confirmed: boolean) => void }) {
  const { t } = useI18n()
  const { user } = useSession()
  const [password, setPassword] = useState('')
  const hasPassword = user?.has_password === true
  const confirm = useMutation({
    mutationFn: () => (hasPassword ? confirmSession(password) : signOut()),
    onSuccess() {
      if (hasPassword) onAnswer(true)
      else {
        const { pathname, search, hash } = window.location
        const next = pathname.replace(/^\/app/, '') + search + hash
        window.location.assign(`/app/sign-in?${new URLSearchParams({ next })}`)
      }
    },
  })
  return (
    <FormDialog
      title={t('auth.confirmIdentity.title')}
      description={t(
        hasPassword ? 'auth.confirmIdentity.text' : 'auth.confirmIdentity.signInAgain',
      )}
      action={t(hasPassword ? 'auth.confirmIdentity.submit' : 'auth.signIn.submit')}
      task={confirm}
      fields={['password']}
      onClose={() => onAnswer(false)}
    >
      {hasPassword ? (
        <PasswordField
          label={t('auth.password')}
          error={fieldError(confirm.error, 'password')}
          required
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
      ) : null}
    </FormDialog>
  )
}
