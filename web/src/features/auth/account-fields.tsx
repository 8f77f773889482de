import { useI18n } from '../../i18n/index.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { fieldError } from './errors.ts'
import { LEAST_PASSWORD, PasswordInput } from './password-input.tsx'

/** What a new account is made of. */
export interface NewAccount {
  name: string
  email: string
  password: string
}

/** The fields of a new account; an address that is given can't be changed. */
export function AccountFields({
  value,
  onChange,
  error,
  fixedEmail = false,
}: {
  value: NewAccount
  onChange: (value: NewAccount) => void
  error: unknown
  fixedEmail?: boolean
}) {
  const { t } = useI18n()
  return (
    <>
      <Field label={t('auth.name')} error={fieldError(error, 'name')}>
        {(control) => (
          <Input
            {...control}
            name="name"
            autoComplete="name"
            required
            autoFocus
            maxLength={100}
            value={value.name}
            onChange={({ target }) => onChange({ ...value, name: target.value })}
          />
        )}
      </Field>
      <Field label={t('auth.email')} error={fieldError(error, 'email')}>
        {(control) => (
          <Input
            {...control}
            type="email"
            name="email"
            autoComplete="username"
            required
            readOnly={fixedEmail}
            value={value.email}
            onChange={({ target }) => onChange({ ...value, email: target.value })}
          />
        )}
      </Field>
      <Field
        label={t('auth.password')}
        hint={t('auth.password.hint', { least: LEAST_PASSWORD })}
        error={fieldError(error, 'password')}
      >
        {(control) => (
          <PasswordInput
            {...control}
            name="password"
            autoComplete="new-password"
            required
            minLength={LEAST_PASSWORD}
            value={value.password}
            onChange={({ target }) => onChange({ ...value, password: target.value })}
          />
        )}
      </Field>
    </>
  )
}
