import { useI18n } from '../../../../i18n/index.tsx'
import { Field } from '../../../../ui/field.tsx'
import { Input } from '../../../../ui/input.tsx'
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
      <Field label={t('links.field.startsAt')} error={problems.starts_at}>
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            value={draft.starts_at}
            onChange={(event) => set({ starts_at: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('links.field.expiresAt')} error={problems.expires_at}>
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            value={draft.expires_at}
            onChange={(event) => set({ expires_at: event.target.value })}
          />
        )}
      </Field>
      <p className="text-faint text-xs sm:col-span-2">{t('links.hint.zone', { zone })}</p>
    </div>
  )
}
