import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { useSession } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { Form, Submit } from '../../ui/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { PageLink } from './address.tsx'
import { leaveFor } from './arrive.ts'
import { CODE_TEXTS, CodeForm, type CodeKind } from './code-form.tsx'
import { OtherWays } from './other-ways.tsx'
import { PasswordField } from './password-field.tsx'
import { signIn } from './queries.ts'

/** Signs the person of the page in again. It can't be dismissed: nothing on the page works without. */
export default function SignInAgainDialog({ onDone }: { onDone: () => void }) {
  const { t } = useI18n()
  const client = useQueryClient()
  const { user, instance } = useSession()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<CodeKind | null>(null)
  const email = user?.email ?? ''
  const page = location.href.slice(location.origin.length)

  const done = async () => {
    // Not through the cache: its own request may be waiting for this dialog.
    const session = await ok(api.GET('/api/v1/session'))
    // The page is about another person's workspaces.
    if (session.user?.id !== user?.id) return leaveFor('/app/links')
    client.setQueryData(sessionQuery.queryKey, session)
    onDone()
  }
  const byPassword = useMutation({
    mutationFn: () => signIn(email, password),
    onSuccess: ({ twoFactorRedirect }) => (twoFactorRedirect ? setCode('totp') : done()),
  })
  return (
    <Dialog
      title={t(code === null ? 'auth.signIn.title' : 'auth.twoFactor.title')}
      description={t(code === null ? 'auth.again.text' : CODE_TEXTS[code])}
    >
      {code !== null ? (
        <CodeForm kind={code} onKind={setCode} onDone={done} />
      ) : (
        <>
          {instance.sign_in.password && user?.has_password ? (
            <Form task={byPassword} fields={['password']}>
              <TextField
                label={t('auth.email')}
                type="email"
                name="email"
                autoComplete="username"
                readOnly
                value={email}
                onChange={() => {}}
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
            </Form>
          ) : null}
          <OtherWays next={page} onDone={done} />
          <PageLink
            to="/sign-in"
            search={{ next: page.replace(/^\/app/, ''), ended: 'true' }}
            className="self-center py-0.5 text-muted text-sm underline underline-offset-2 hover:text-fg"
          >
            {t('auth.again.other')}
          </PageLink>
        </>
      )}
    </Dialog>
  )
}
