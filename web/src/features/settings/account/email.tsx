import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { fieldError } from '../../../ui/errors.ts'
import { Form, Submit } from '../../../ui/form.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { requestEmailChange } from '../queries.ts'

/** Changes the address: a link goes to the new one, a notice to the old one. */
export function EmailSection() {
  const { t } = useI18n()
  const [email, setEmail] = useState('')
  const change = useMutation({
    mutationFn: () => requestEmailChange(email),
    onSuccess() {
      showToast({ title: t('settings.email.sent', { email }) })
      setEmail('')
    },
  })
  return (
    <CardSection title={t('settings.email')} description={t('settings.email.text')}>
      <Form task={change} fields={['new_email']} className="flex max-w-md flex-col gap-5">
        <TextField
          label={t('settings.email.new')}
          error={fieldError(change.error, 'new_email')}
          type="email"
          autoComplete="email"
          required
          value={email}
          onChange={setEmail}
        />
        <Submit of={change} variant="secondary" className="self-start">
          {t('settings.email.submit')}
        </Submit>
      </Form>
    </CardSection>
  )
}
