import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button, WRAPPING } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { PageLink, searchOfPage } from './address.tsx'
import { useArrive } from './arrive.ts'
import { confirmSignIn } from './calls.ts'
import { Frame } from './frame.tsx'

/** After the password: a code of the app, or a recovery code. */
export function TwoFactorPage() {
  const { t } = useI18n()
  const { next } = searchOfPage()
  const arrive = useArrive()
  const [kind, setKind] = useState<'totp' | 'backup-code'>('totp')
  const [code, setCode] = useState('')
  const [trust, setTrust] = useState(false)
  const confirm = useMutation({
    mutationFn: (typed: string) => confirmSignIn(kind, typed.trim(), trust),
    onSuccess: () => arrive(next),
  })
  const byApp = kind === 'totp'
  return (
    <Frame
      title={t('auth.twoFactor.title')}
      text={t(byApp ? 'auth.twoFactor.text' : 'auth.twoFactor.recoveryText')}
      foot={
        <PageLink to="/sign-in" className="underline underline-offset-2 hover:text-fg">
          {t('auth.back')}
        </PageLink>
      }
    >
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
            setKind(byApp ? 'backup-code' : 'totp')
            setCode('')
            confirm.reset()
          }}
        >
          {t(byApp ? 'auth.twoFactor.useRecovery' : 'auth.twoFactor.useApp')}
        </Button>
      </Form>
    </Frame>
  )
}
