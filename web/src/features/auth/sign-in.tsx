import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSession } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button, WRAPPING } from '../../ui/button.tsx'
import { fieldError } from '../../ui/errors.ts'
import { FormError } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { addressOf, PageLink, searchOfPage } from './address.tsx'
import { leaveFor, useArrive } from './arrive.ts'
import { oidcAddress, signIn } from './calls.ts'
import { Frame } from './frame.tsx'
import { passkeysWork, signInWithPasskey } from './passkeys.ts'
import { PasswordField } from './password-field.tsx'

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
      if (twoFactorRedirect) await leaveFor(addressOf('/two-factor', next ? { next } : {}))
      else await arrive(next)
    },
  })
  const byPasskey = useMutation({
    mutationFn: signInWithPasskey,
    onSuccess: () => arrive(next),
  })
  const elsewhere = useMutation({
    mutationFn: (provider: string) => oidcAddress(provider, `/app${next ?? '/links'}`),
    onSuccess: (url) => location.assign(url),
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
            <PageLink to="/sign-up" className="text-accent-text underline underline-offset-2">
              {t('auth.signIn.signUp')}
            </PageLink>
          </>
        ) : instance.sign_up === 'invitation' ? (
          t('auth.signIn.byInvitation')
        ) : null
      }
    >
      <FormError
        error={byPasskey.error ?? elsewhere.error}
        message={sentBack === undefined ? null : t('auth.signIn.oidcFailed')}
      />
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
            className="self-center py-0.5 text-muted text-sm underline underline-offset-2 hover:text-fg"
          >
            {t('auth.signIn.forgot')}
          </PageLink>
        </Form>
      ) : null}
      <OtherWays byPasskey={byPasskey} elsewhere={elsewhere} />
    </Frame>
  )
}

/** Passkeys and providers. */
function OtherWays({
  byPasskey,
  elsewhere,
}: {
  byPasskey: Pick<UseMutationResult<unknown, Error, void>, 'isPending' | 'mutate'>
  elsewhere: Pick<UseMutationResult<string, Error, string>, 'isPending' | 'mutate' | 'variables'>
}) {
  const { t } = useI18n()
  const { sign_in: ways } = useSession().instance
  const passkey = ways.passkey && passkeysWork()
  if (!passkey && ways.oidc.length === 0) return null
  return (
    <>
      {ways.password ? (
        <div className="flex items-center gap-3 text-faint text-xs" aria-hidden="true">
          <span className="h-px flex-1 bg-line" />
          {t('auth.signIn.or')}
          <span className="h-px flex-1 bg-line" />
        </div>
      ) : null}
      <div className="flex flex-col gap-2">
        {passkey ? (
          <Button
            className={WRAPPING}
            icon={<KeyRound />}
            loading={byPasskey.isPending}
            onClick={() => byPasskey.mutate()}
          >
            {t('auth.signIn.passkey')}
          </Button>
        ) : null}
        {ways.oidc.map(({ id, name }) => (
          <Button
            className={WRAPPING}
            key={id}
            loading={elsewhere.isPending && elsewhere.variables === id}
            onClick={() => elsewhere.mutate(id)}
          >
            {t('auth.signIn.oidc', { name })}
          </Button>
        ))}
      </div>
    </>
  )
}
