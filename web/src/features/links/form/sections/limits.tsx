import { useI18n } from '../../../../i18n/index.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { PasswordField } from '../password-field.tsx'
import type { FormSection, SectionProps } from './section.tsx'

/** Password, limit of clicks, and fallback. */
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
      <TextField
        label={t('links.field.maxClicks')}
        hint={t('links.hint.maxClicks')}
        error={problems.max_clicks}
        inputMode="numeric"
        value={draft.max_clicks}
        onChange={(max_clicks) => set({ max_clicks })}
      />
      <TextField
        label={t('links.field.fallback')}
        hint={t('links.hint.fallback')}
        error={problems.fallback_url}
        type="url"
        dir="ltr"
        placeholder="https://"
        value={draft.fallback_url}
        onChange={(fallback_url) => set({ fallback_url })}
      />
    </>
  )
}
