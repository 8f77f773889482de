import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useId, useState } from 'react'
import { onConfirmNeeded } from '../../api/client.ts'
import { useSession } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, FormError } from '../../ui/field.tsx'
import { confirmSession, signOut } from './calls.ts'
import { fieldError, formError } from './errors.ts'
import { PasswordInput } from './password-input.tsx'

/** Asks for the password when the server wants to know again who is there; then the request goes on. */
export function ConfirmIdentity() {
  const [answer, setAnswer] = useState<((confirmed: boolean) => void) | null>(null)
  useEffect(
    () =>
      onConfirmNeeded(
        () =>
          new Promise<boolean>((resolve) => {
            setAnswer(() => (confirmed: boolean) => {
              setAnswer(null)
              resolve(confirmed)
            })
          }),
      ),
    [],
  )
  return answer === null ? null : <ConfirmDialog onAnswer={answer} />
}

function ConfirmDialog({ onAnswer }: { onAnswer: (confirmed: boolean) => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const { user } = useSession()
  const [password, setPassword] = useState('')
  const formId = useId()
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
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onAnswer(false)
      }}
      title={t('auth.confirmIdentity.title')}
      description={t(
        hasPassword ? 'auth.confirmIdentity.text' : 'auth.confirmIdentity.signInAgain',
      )}
      footer={
        <>
          <Button onClick={() => onAnswer(false)}>{t('common.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" loading={confirm.isPending}>
            {t(hasPassword ? 'auth.confirmIdentity.submit' : 'auth.signIn.submit')}
          </Button>
        </>
      }
    >
      <FormError message={formError(confirm.error, i18n, ['password'])} />
      <form id={formId} onSubmit={submit}>
        {hasPassword ? (
          <Field label={t('auth.password')} error={fieldError(confirm.error, 'password')}>
            {(control) => (
              <PasswordInput
                {...control}
                required
                autoComplete="current-password"
                value={password}
                onChange={({ target }) => setPassword(target.value)}
              />
            )}
          </Field>
        ) : null}
      </form>
    </Dialog>
  )
}
