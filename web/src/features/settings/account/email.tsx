import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { fieldError, formError } from '../../auth/errors.ts'
import { requestEmailChange } from '../calls.ts'

/** Another address: a link goes to the new one, a notice to the old one. */
export function EmailSection() {
  const i18n = useI18n()
  const { t } = i18n
  const [email, setEmail] = useState('')
  const change = useMutation({
    mutationFn: () => requestEmailChange(email),
    onSuccess() {
      showToast({ title: t('settings.email.sent', { email }) })
      setEmail('')
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <CardSection title={t('settings.email')} description={t('settings.email.text')}>
      <form onSubmit={submit} className="flex max-w-md flex-col gap-5">
        <FormError message={formError(change.error, i18n, ['new_email'])} />
        <TextField
          label={t('settings.email.new')}
          error={fieldError(change.error, 'new_email')}
          type="email"
          autoComplete="email"
          required
          value={email}
          onChange={setEmail}
        />
        <Button type="submit" className="self-start" loading={change.isPending}>
          {t('settings.email.submit')}
        </Button>
      </form>
    </CardSection>
  )
}
