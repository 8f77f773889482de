import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { confirmSession, signOut } from './calls.ts'
import { fieldError, formError } from './errors.ts'
import { PasswordField } from './password-field.tsx'

/** The question who is there; where there is no password, by signing in again. */
export default function ConfirmDialog({ onAnswer }: { onAnswer: (confirmed: boolean) => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const { user } = useSession()
  const [password, setPassword] = useState('')
  const hasPassword = user?.has_password === true
  const confirm = useMutation({
    mutationFn: () => (hasPassword ? confirmSession(password) : signOut()),
    onSuccess() {
      if (hasPassword) onAnswer(true)
      else {
        const next = window.location.pathname.replace(/^\/app/, '')
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
      busy={confirm.isPending}
      problem={formError(confirm.error, i18n, ['password'])}
      onSubmit={() => confirm.mutate()}
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
