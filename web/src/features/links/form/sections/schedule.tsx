import { useI18n } from '../../../../i18n/index.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import type { FormSection, SectionProps } from './section.tsx'

/** When the link redirects. */
export const SCHEDULE: FormSection = {
  title: 'links.section.schedule',
  fields: ['starts_at', 'expires_at'],
  Fields,
}

function Fields({ draft, set, problems }: SectionProps) {
  const { t } = useI18n()
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label={t('links.field.startsAt')}
        error={problems.starts_at}
        type="datetime-local"
        value={draft.starts_at}
        onChange={(starts_at) => set({ starts_at })}
      />
      <TextField
        label={t('links.field.expiresAt')}
        error={problems.expires_at}
        type="datetime-local"
        value={draft.expires_at}
        onChange={(expires_at) => set({ expires_at })}
      />
      <p className="text-faint text-xs sm:col-span-2">{t('links.hint.zone', { zone })}</p>
    </div>
  )
}
