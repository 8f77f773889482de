import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Field, type FieldProps } from '../../ui/field.tsx'
import { InputGroup } from '../../ui/input.tsx'

/** The minimum length of a new password; the server enforces it. */
export const PASSWORD_MIN = 10

/** A password that can be made visible. */
export function PasswordField({
  label,
  hint,
  error,
  onChange,
  ...input
}: FieldProps & {
  value: string
  onChange: (value: string) => void
} & Pick<
    ComponentProps<'input'>,
    'name' | 'autoComplete' | 'autoFocus' | 'required' | 'minLength'
  >) {
  const { t } = useI18n()
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <InputGroup
          {...control}
          {...input}
          onChange={({ target }) => onChange(target.value)}
          type={shown ? 'text' : 'password'}
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          after={
            <IconButton
              size="sm"
              label={t(shown ? 'auth.hidePassword' : 'auth.showPassword')}
              icon={<Icon />}
              onClick={() => setShown(!shown)}
            />
          }
        />
      )}
    </Field>
  )
}
