import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useSession } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button, WRAPPING } from '../../ui/button.tsx'
import { FormError } from '../../ui/field.tsx'
import { passkeysWork, signInWithPasskey } from './passkeys.ts'
import { oidcAddress } from './queries.ts'

/** Signing in with a passkey, or with a provider, which continues with `next`. */
export function OtherWays({ next, onDone }: { next: string; onDone: () => Promise<unknown> }) {
  const { t } = useI18n()
  const { sign_in: ways } = useSession().instance
  const byPasskey = useMutation({ mutationFn: signInWithPasskey, onSuccess: onDone })
  const elsewhere = useMutation({
    mutationFn: (provider: string) => oidcAddress(provider, next),
    onSuccess: (url) => location.assign(url),
  })
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
      <FormError error={byPasskey.error ?? elsewhere.error} />
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
