import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button, WRAPPING } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { confirmSignIn } from './queries.ts'

/** A code of the app, or a recovery code. */
export type CodeKind = Parameters<typeof confirmSignIn>[0]

/** What a kind of code needs to be said about it. */
export const CODE_TEXTS = {
  totp: 'auth.twoFactor.text',
  'backup-code': 'auth.twoFactor.recoveryText',
} as const

/** The second factor of a sign-in. */
export function CodeForm({
  kind,
  onKind,
  onDone,
}: {
  kind: CodeKind
  onKind: (kind: CodeKind) => void
  onDone: () => Promise<unknown>
}) {
  const { t } = useI18n()
  const [code, setCode] = useState('')
  const [trust, setTrust] = useState(false)
  const confirm = useMutation({
    mutationFn: (typed: string) => confirmSignIn(kind, typed.trim(), trust),
    onSuccess: onDone,
  })
  const byApp = kind === 'totp'
  return (
    <Form task={{ ...confirm, mutate: () => confirm.mutate(code) }}>
      <TextField
        key={kind}
        label={t(byApp ? 'auth.twoFactor.code' : 'auth.twoFactor.recoveryCode')}
        name="code"
        autoComplete="one-time-code"
        inputMode={byApp ? 'numeric' : 'text'}
        autoFocus
        required
        dir="ltr"
        controlClass="tabular tracking-widest"
        value={code}
        onChange={(typed) => {
          setCode(typed)
          // The sixth digit is the last one, so the form is submitted.
          if (byApp && /^\d{6}$/.test(typed)) confirm.mutate(typed)
        }}
      />
      <Checkbox label={t('auth.twoFactor.trust')} checked={trust} onChange={setTrust} />
      <Submit of={confirm}>{t('auth.twoFactor.submit')}</Submit>
      <Button
        className={WRAPPING}
        variant="ghost"
        onClick={() => {
          onKind(byApp ? 'backup-code' : 'totp')
          setCode('')
          confirm.reset()
        }}
      >
        {t(byApp ? 'auth.twoFactor.useRecovery' : 'auth.twoFactor.useApp')}
      </Button>
    </Form>
  )
}
