import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'

/** A password for visitors. An existing one isn't shown: it can be replaced or removed. */
export function PasswordField({
  value,
  onChange,
  hasPassword,
  error,
}: {
  /** Null: unchanged. Empty: none. */
  value: string | null
  onChange: (value: string | null) => void
  hasPassword: boolean
  error: string | undefined
}) {
  const { t } = useI18n()
  if (hasPassword && value === null) {
    return (
      <div className="flex flex-col gap-1.5">
        <span className="font-medium text-sm">{t('links.field.password')}</span>
        <div className="flex flex-wrap items-center gap-2">
          <span className="flex-1 text-muted">{t('links.passwordSet')}</span>
          <Button size="sm" onClick={() => onChange('')}>
            {t('links.passwordChange')}
          </Button>
        </div>
      </div>
    )
  }
  const removing = hasPassword && value === ''
  return (
    <Field
      label={t('links.field.password')}
      hint={removing ? t('links.hint.passwordRemoved') : t('links.hint.password')}
      error={error}
    >
      {(control) => (
        <div className="flex gap-2">
          <Input
            {...control}
            type="text"
            autoComplete="off"
            spellCheck={false}
            value={value ?? ''}
            onChange={(event) => onChange(event.target.value || (hasPassword ? '' : null))}
          />
          {hasPassword ? (
            <Button onClick={() => onChange(null)}>{t('links.passwordKeep')}</Button>
          ) : null}
        </div>
      )}
    </Field>
  )
}
