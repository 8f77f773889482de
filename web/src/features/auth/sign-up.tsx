import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession, useSessionChanged } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { AccountFields } from './account-fields.tsx'
import { onward, PageLink, searchOfPage } from './address.tsx'
import { useArrive } from './arrive.ts'
import { Frame } from './frame.tsx'
import { signUp } from './queries.ts'

/** A new account, if everyone may create one; else why not. */
export function SignUpPage() {
  const { t } = useI18n()
  const { instance } = useSession()
  const { next } = searchOfPage()
  const arrive = useArrive()
  const sessionChanged = useSessionChanged()
  const [account, setAccount] = useState({ name: '', email: '', password: '' })
  const create = useMutation({
    async mutationFn() {
      await signUp(account.name, account.email, account.password)
      // Without a session the address has to be confirmed first.
      return (await sessionChanged()).user !== null
    },
    onSuccess: (isSignedIn) => (isSignedIn ? arrive(next) : undefined),
  })
  const foot = (
    <>
      {t('auth.signUp.haveAccount')}{' '}
      <PageLink
        to="/sign-in"
        search={onward()}
        className="text-accent-text underline underline-offset-2"
      >
        {t('auth.signIn.submit')}
      </PageLink>
    </>
  )
  if (create.data === false) {
    return (
      <Frame
        title={t('auth.forgot.sent')}
        text={t('auth.signUp.sentText', { email: account.email })}
        foot={foot}
      />
    )
  }
  if (instance.sign_up !== 'open') {
    const closed = instance.sign_up === 'closed'
    return (
      <Frame
        title={t(closed ? 'auth.signUp.closed' : 'auth.signUp.invitationOnly')}
        text={t(closed ? 'auth.signUp.closedText' : 'auth.signUp.invitationOnlyText')}
        foot={foot}
      />
    )
  }
  return (
    <Frame title={t('auth.signUp.title')} foot={foot}>
      <Form task={create} fields={['name', 'email', 'password']}>
        <AccountFields value={account} onChange={setAccount} error={create.error} />
        <Submit of={create}>{t('auth.signUp.submit')}</Submit>
      </Form>
    </Frame>
  )
}
