import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/errors.ts'
import { useSession, useSessionChanged } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button, buttonClass, WRAPPING } from '../../ui/button.tsx'
import { FormError } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { AccountFields } from './account-fields.tsx'
import { PageLink } from './address.tsx'
import { useArrive } from './arrive.ts'
import { Frame } from './frame.tsx'
import { useLinkToken } from './link-token.ts'
import { acceptInvitation, type Invitation, lookUpInvitation, signOut } from './queries.ts'

/** Joins a workspace by the link of an invitation. */
export function InvitationPage() {
  const { t } = useI18n()
  const token = useLinkToken() ?? ''
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => lookUpInvitation(token),
    enabled: token !== '',
    retry: false,
  })
  const { error } = invitation
  if (error !== null && !isRefused(error)) {
    return (
      <main className="flex min-h-dvh flex-col justify-center">
        <Problem heading="h1" error={error} onRetry={() => void invitation.refetch()} />
      </main>
    )
  }
  if (error !== null || token === '') {
    return (
      <Frame title={t('auth.invitation.invalid')} text={t('auth.invitation.invalidText')}>
        <PageLink to="/links" className={buttonClass()}>
          {t('common.toLinks')}
        </PageLink>
      </Frame>
    )
  }
  if (invitation.data === undefined) {
    return (
      <Frame title={t('common.loading')}>
        <Loading label={t('common.loading')} />
        <Skeleton className="h-8 w-full" />
      </Frame>
    )
  }
  return <Accept token={token} invitation={invitation.data} />
}

/** Whether the server doesn't know the invitation: otherwise another attempt may find it. */
function isRefused(error: Error): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 429
}

function Accept({ token, invitation }: { token: string; invitation: Invitation }) {
  const { t } = useI18n()
  const { user } = useSession()
  const { email, role, workspace, invited_by } = invitation
  const arrive = useArrive()
  const sessionChanged = useSessionChanged()
  const [account, setAccount] = useState({ name: '', email, password: '' })
  const join = useMutation({
    mutationFn: () =>
      acceptInvitation(
        token,
        user === null ? { name: account.name, password: account.password } : undefined,
      ),
    onSuccess: () => arrive(),
  })
  const leave = useMutation({ mutationFn: signOut, onSuccess: sessionChanged })
  const title = t('auth.invitation.title', { workspace: workspace.name })
  const invited = { role: t(`role.${role}`), email }
  const text =
    invited_by === null
      ? t('auth.invitation.text', invited)
      : t('auth.invitation.by', { ...invited, who: invited_by.name, workspace: workspace.name })
  if (user !== null && user.email.toLowerCase() !== email.toLowerCase()) {
    return (
      <Frame title={title} text={t('auth.invitation.other', { email: user.email, invited: email })}>
        <Button variant="primary" loading={leave.isPending} onClick={() => leave.mutate()}>
          {t('auth.invitation.signOut')}
        </Button>
      </Frame>
    )
  }
  if (user !== null) {
    return (
      <Frame title={title} text={text}>
        <FormError error={join.error} />
        <Button variant="primary" loading={join.isPending} onClick={() => join.mutate()}>
          {t('auth.invitation.accept')}
        </Button>
      </Frame>
    )
  }
  // The token is kept in this tab, outside of URLs.
  const next = '/invitation'
  if (invitation.account_exists) {
    return (
      <Frame title={title} text={text}>
        <PageLink to="/sign-in" search={{ next }} className={buttonClass('primary')}>
          {t('auth.invitation.signIn')}
        </PageLink>
      </Frame>
    )
  }
  return (
    <Frame
      title={title}
      text={text}
      foot={
        <>
          {t('auth.signUp.haveAccount')}{' '}
          <PageLink
            to="/sign-in"
            search={{ next }}
            className="text-accent-text underline underline-offset-2"
          >
            {t('auth.invitation.signIn')}
          </PageLink>
        </>
      }
    >
      <Form task={join} fields={['name', 'password']}>
        <AccountFields value={account} onChange={setAccount} error={join.error} fixedEmail />
        <Submit of={join} className={WRAPPING}>
          {t('auth.invitation.create')}
        </Submit>
      </Form>
    </Frame>
  )
}
