import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { FormError } from '../../../ui/field.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { fieldError, formError } from '../../auth/errors.ts'
import { LEAST_PASSWORD, PasswordField } from '../../auth/password-field.tsx'
import { changePassword, sessionsQuery } from '../calls.ts'

const FIELDS = ['currentPassword', 'newPassword']

/** Another password, by whoever knows the present one. */
export function PasswordSection() {
  const i18n = useI18n()
  const { t } = i18n
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
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change.mutate()
  }
  const { error } = change
  return (
    <CardSection title={t('settings.password')}>
      <form onSubmit={submit} className="flex max-w-md flex-col gap-5">
        <FormError message={formError(error, i18n, FIELDS)} />
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
          hint={t('auth.password.hint', { least: LEAST_PASSWORD })}
          error={fieldError(error, 'newPassword')}
          required
          autoComplete="new-password"
          minLength={LEAST_PASSWORD}
          value={next}
          onChange={setNext}
        />
        <Checkbox label={t('settings.password.others')} checked={others} onChange={setOthers} />
        <Button type="submit" className="self-start" loading={change.isPending}>
          {t('settings.password.submit')}
        </Button>
      </form>
    </CardSection>
  )
}
