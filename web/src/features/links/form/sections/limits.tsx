import { useI18n } from '../../../../i18n/index.tsx'
import { Field } from '../../../../ui/field.tsx'
import { Input } from '../../../../ui/input.tsx'
import { PasswordField } from '../password-field.tsx'
import type { FormSection, SectionProps } from './section.tsx'

/** Who gets through, how many, and where the others go. */
export const LIMITS: FormSection = {
  title: 'links.section.limits',
  fields: ['password', 'max_clicks', 'fallback_url'],
  Fields,
}

function Fields({ draft, set, problems, hasPassword }: SectionProps) {
  const { t } = useI18n()
  return (
    <>
      <PasswordField
        value={draft.password}
        onChange={(password) => set({ password })}
        hasPassword={hasPassword}
        error={problems.password}
      />
      <Field
        label={t('links.field.maxClicks')}
        hint={t('links.hint.maxClicks')}
        error={problems.max_clicks}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            value={draft.max_clicks}
            onChange={(event) => set({ max_clicks: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={t('links.field.fallback')}
        hint={t('links.hint.fallback')}
        error={problems.fallback_url}
      >
        {(control) => (
          <Input
            {...control}
            type="url"
            dir="ltr"
            placeholder="https://"
            value={draft.fallback_url}
            onChange={(event) => set({ fallback_url: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}
