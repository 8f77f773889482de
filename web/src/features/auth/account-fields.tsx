import { useI18n } from '../../i18n/index.tsx'
import { fieldError } from '../../ui/errors.ts'
import { TextField } from '../../ui/text-field.tsx'
import { PASSWORD_MIN, PasswordField } from './password-field.tsx'

/** The data of a new account. */
interface NewAccount {
  name: string
  email: string
  password: string
}

/** The fields of a new account; a given address can't be changed. */
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
      <TextField
        label={t('auth.name')}
        error={fieldError(error, 'name')}
        name="name"
        autoComplete="name"
        required
        autoFocus
        maxLength={100}
        value={value.name}
        onChange={(name) => onChange({ ...value, name })}
      />
      <TextField
        label={t('auth.email')}
        error={fieldError(error, 'email')}
        type="email"
        name="email"
        autoComplete="username"
        required
        readOnly={fixedEmail}
        value={value.email}
        onChange={(email) => onChange({ ...value, email })}
      />
      <PasswordField
        label={t('auth.password')}
        hint={t('auth.password.hint', { least: PASSWORD_MIN })}
        error={fieldError(error, 'password')}
        name="password"
        autoComplete="new-password"
        required
        minLength={PASSWORD_MIN}
        value={value.password}
        onChange={(password) => onChange({ ...value, password })}
      />
    </>
  )
}
