import { useMutation } from '@tanstack/react-query'
import { useSessionChanged } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormError } from '../../ui/field.tsx'
import { PageLink } from './address.tsx'
import { Frame } from './frame.tsx'
import { useLinkToken } from './link-token.ts'
import { confirmEmailChange, verifyEmail } from './queries.ts'

/** Confirms the address of a new account. */
export function VerifyEmailPage() {
  return <ConfirmEmail confirm={verifyEmail} />
}

/** Confirms the new address of an account. */
export function ChangeEmailPage() {
  return <ConfirmEmail confirm={confirmEmailChange} />
}

/** A button, so that mail scanners that follow links don't confirm anything. */
function ConfirmEmail({ confirm }: { confirm: (token: string) => Promise<unknown> }) {
  const { t } = useI18n()
  const token = useLinkToken()
  const sessionChanged = useSessionChanged()
  const mutation = useMutation({
    mutationFn: () => confirm(token ?? ''),
    onSuccess: sessionChanged,
  })
  if (mutation.isSuccess || token === undefined) {
    const { title, text } = mutation.isSuccess
      ? { title: t('auth.confirmEmail.done'), text: t('auth.confirmEmail.doneText') }
      : { title: t('auth.reset.noToken'), text: t('auth.reset.noTokenText') }
    return (
      <Frame title={title} text={text}>
        <PageLink to="/links" className={buttonClass('primary')}>
          {t('common.toLinks')}
        </PageLink>
      </Frame>
    )
  }
  return (
    <Frame title={t('auth.confirmEmail.title')} text={t('auth.confirmEmail.text')}>
      <FormError error={mutation.error} />
      <Button variant="primary" loading={mutation.isPending} onClick={() => mutation.mutate()}>
        {t('auth.confirmEmail.submit')}
      </Button>
    </Frame>
  )
}
