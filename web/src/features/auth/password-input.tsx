import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { IconButton } from '../../ui/button.tsx'
import { InputGroup } from '../../ui/input.tsx'

/** The least that a new password may have; the server decides. */
export const LEAST_PASSWORD = 10

/** A password, which can be looked at. */
export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type'>) {
  const { t } = useI18n()
  const [shown, setShown] = useState(false)
  return (
    <InputGroup
      {...props}
      type={shown ? 'text' : 'password'}
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      after={
        <IconButton
          size="sm"
          label={t(shown ? 'auth.hidePassword' : 'auth.showPassword')}
          icon={
            shown ? <EyeOff size={14} aria-hidden="true" /> : <Eye size={14} aria-hidden="true" />
          }
          onClick={() => setShown(!shown)}
        />
      }
    />
  )
}
