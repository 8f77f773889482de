import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSession } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { fieldError } from '../../ui/errors.ts'
import { FormError } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { addressOf, onward, PageLink, searchOfPage } from './address.tsx'
import { leaveFor, useArrive } from './arrive.ts'
import { Frame } from './frame.tsx'
import { OtherWays } from './other-ways.tsx'
import { PasswordField } from './password-field.tsx'
import { signIn } from './queries.ts'

const FIELDS = ['email', 'password']

/** Password, passkey, or a provider's account. */
export function SignInPage() {
  const { t } = useI18n()
  const { instance, user } = useSession()
  const { next, error: sentBack, ended, reset } = searchOfPage()
  const arrive = useArrive()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')

  // Already signed in: there is nothing to do here.
  useEffect(() => {
    if (user !== null) void leaveFor(`/app${next ?? '/links'}`)
  }, [user, next])

  const byPassword = useMutation({
    mutationFn: () => signIn(email, password),
    async onSuccess({ twoFactorRedirect }) {
      if (twoFactorRedirect) await leaveFor(addressOf('/two-factor', onward()))
      else await arrive(next)
    },
  })
  const { sign_in: ways } = instance
  if (user !== null) return null
  if (!instance.claimed) {
    return <Frame title={t('auth.signIn.title')} text={t('auth.signIn.unclaimed')} />
  }
  return (
    <Frame
      title={t('auth.signIn.title')}
      text={ended ? t('auth.signIn.ended') : reset ? t('auth.reset.done') : undefined}
      foot={
        instance.sign_up === 'open' ? (
          <>
            {t('auth.signIn.noAccount')}{' '}
            <PageLink
              to="/sign-up"
              search={onward()}
              className="text-accent-text underline underline-offset-2"
            >
              {t('auth.signIn.signUp')}
            </PageLink>
          </>
        ) : instance.sign_up === 'invitation' ? (
          t('auth.signIn.byInvitation')
        ) : null
      }
    >
      <FormError message={sentBack === undefined ? null : t('auth.signIn.oidcFailed')} />
      {ways.password ? (
        <Form task={byPassword} fields={FIELDS}>
          <TextField
            label={t('auth.email')}
            error={fieldError(byPassword.error, 'email')}
            type="email"
            name="email"
            autoComplete="username webauthn"
            required
            autoFocus
            value={email}
            onChange={setEmail}
          />
          <PasswordField
            label={t('auth.password')}
            error={fieldError(byPassword.error, 'password')}
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={setPassword}
          />
          <Submit of={byPassword}>{t('auth.signIn.submit')}</Submit>
          <PageLink
            to="/forgot-password"
            search={onward()}
            className="self-center py-0.5 text-muted text-sm underline underline-offset-2 hover:text-fg"
          >
            {t('auth.signIn.forgot')}
          </PageLink>
        </Form>
      ) : null}
      <OtherWays next={`/app${next ?? '/links'}`} onDone={() => arrive(next)} />
    </Frame>
  )
}
