import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { fieldError } from '../../ui/errors.ts'
import { Form, Submit } from '../../ui/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { addressOf, onward, PageLink } from './address.tsx'
import { leaveFor } from './arrive.ts'
import { Frame } from './frame.tsx'
import { useLinkToken } from './link-token.ts'
import { PASSWORD_MIN, PasswordField } from './password-field.tsx'
import { askForReset, resetPassword } from './queries.ts'

function BackToSignIn() {
  const { t } = useI18n()
  return (
    <PageLink
      to="/sign-in"
      search={onward()}
      className="underline underline-offset-2 hover:text-fg"
    >
      {t('auth.back')}
    </PageLink>
  )
}

/** Requests a link by email. The response is the same whether the address has an account or not. */
export function ForgotPasswordPage() {
  const { t } = useI18n()
  const { instance } = useSession()
  const [email, setEmail] = useState('')
  const ask = useMutation({ mutationFn: () => askForReset(email) })
  if (!instance.mail) {
    return (
      <Frame
        title={t('auth.forgot.title')}
        text={t('auth.forgot.noMail')}
        foot={<BackToSignIn />}
      />
    )
  }
  if (ask.isSuccess) {
    return (
      <Frame
        title={t('auth.forgot.sent')}
        text={t('auth.forgot.sentText', { email })}
        foot={<BackToSignIn />}
      />
    )
  }
  return (
    <Frame title={t('auth.forgot.title')} text={t('auth.forgot.text')} foot={<BackToSignIn />}>
      <Form task={ask} fields={['email']}>
        <TextField
          label={t('auth.email')}
          error={fieldError(ask.error, 'email')}
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={setEmail}
        />
        <Submit of={ask}>{t('auth.forgot.submit')}</Submit>
      </Form>
    </Frame>
  )
}

/** Sets a new password, with the link's token. */
export function ResetPasswordPage() {
  const { t } = useI18n()
  const token = useLinkToken()
  const [password, setPassword] = useState('')
  const reset = useMutation({
    mutationFn: () => resetPassword(token ?? '', password),
    onSuccess: () => leaveFor(addressOf('/sign-in', { reset: 'true' })),
  })
  if (token === undefined) {
    return (
      <Frame
        title={t('auth.reset.noToken')}
        text={t('auth.reset.noTokenText')}
        foot={<BackToSignIn />}
      >
        <PageLink to="/forgot-password" className={buttonClass('primary')}>
          {t('auth.reset.again')}
        </PageLink>
      </Frame>
    )
  }
  return (
    <Frame title={t('auth.reset.title')} foot={<BackToSignIn />}>
      <Form task={reset} fields={['newPassword', 'password']}>
        <PasswordField
          label={t('auth.newPassword')}
          hint={t('auth.password.hint', { least: PASSWORD_MIN })}
          error={fieldError(reset.error, 'newPassword') ?? fieldError(reset.error, 'password')}
          name="password"
          autoComplete="new-password"
          required
          autoFocus
          minLength={PASSWORD_MIN}
          value={password}
          onChange={setPassword}
        />
        <Submit of={reset}>{t('auth.reset.submit')}</Submit>
      </Form>
    </Frame>
  )
}
