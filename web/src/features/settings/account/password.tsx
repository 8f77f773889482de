import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { fieldError } from '../../../ui/errors.ts'
import { Form, Submit } from '../../../ui/form.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { PASSWORD_MIN, PasswordField } from '../../auth/password-field.tsx'
import { changePassword, sessionsQuery } from '../queries.ts'

const FIELDS = ['currentPassword', 'newPassword']

/** Changes the password, given the current one. */
export function PasswordSection() {
  const { t } = useI18n()
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [others, setOthers] = useState(true)
  const change = useMutation({
    mutationFn: () => changePassword(current, next, others),
    onSuccess() {
      setCurrent('')
      setNext('')
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      showToast({ title: t('settings.password.changed') })
    },
  })
  const { error } = change
  return (
    <CardSection title={t('settings.password')}>
      <Form task={change} fields={FIELDS} className="flex max-w-md flex-col gap-5">
        <PasswordField
          label={t('settings.password.current')}
          error={fieldError(error, 'currentPassword')}
          required
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
        />
        <PasswordField
          label={t('settings.password.new')}
          hint={t('auth.password.hint', { least: PASSWORD_MIN })}
          error={fieldError(error, 'newPassword')}
          required
          autoComplete="new-password"
          minLength={PASSWORD_MIN}
          value={next}
          onChange={setNext}
        />
        <Checkbox label={t('settings.password.others')} checked={others} onChange={setOthers} />
        <Submit of={change} variant="secondary" className="self-start">
          {t('settings.password.submit')}
        </Submit>
      </Form>
    </CardSection>
  )
}
