import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { fieldError } from '../../ui/errors.ts'
import { Form, Submit } from '../../ui/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { AccountFields } from './account-fields.tsx'
import { PageLink } from './address.tsx'
import { useArrive } from './arrive.ts'
import { Frame } from './frame.tsx'
import { useLinkToken } from './link-token.ts'
import { claim } from './queries.ts'

const FIELDS = ['name', 'email', 'password', 'workspace', 'token']

/** The very first account, with the token that the server printed. */
export function ClaimPage() {
  const { t } = useI18n()
  const { instance } = useSession()
  const given = useLinkToken()
  const arrive = useArrive()
  const [account, setAccount] = useState({ name: '', email: '', password: '' })
  const [workspace, setWorkspace] = useState('')
  const [token, setToken] = useState(given ?? '')
  const create = useMutation({
    mutationFn: () => claim({ ...account, workspace, token: token.trim() }),
    onSuccess: () => arrive(),
  })
  if (instance.claimed && !create.isPending && !create.isSuccess) {
    return (
      <Frame title={t('auth.claim.title')} text={t('auth.claim.done')}>
        <PageLink to="/sign-in" className={buttonClass('primary')}>
          {t('auth.signIn.submit')}
        </PageLink>
      </Frame>
    )
  }
  return (
    <Frame title={t('auth.claim.title')} text={t('auth.claim.text')}>
      <Form task={create} fields={FIELDS}>
        <AccountFields value={account} onChange={setAccount} error={create.error} />
        <TextField
          label={t('auth.workspace')}
          hint={t('auth.workspace.hint')}
          error={fieldError(create.error, 'workspace')}
          name="workspace"
          autoComplete="organization"
          required
          maxLength={100}
          value={workspace}
          onChange={setWorkspace}
        />
        {given === undefined || fieldError(create.error, 'token') !== undefined ? (
          <TextField
            label={t('auth.claim.token')}
            hint={t('auth.claim.token.hint')}
            error={fieldError(create.error, 'token')}
            name="token"
            autoComplete="off"
            required
            dir="ltr"
            value={token}
            onChange={setToken}
          />
        ) : null}
        <Submit of={create}>{t('auth.claim.submit')}</Submit>
      </Form>
    </Frame>
  )
}
