import { UTM_FIELDS, utmOf, withUtm } from '@src/features/links/utm.ts'
import { useI18n } from '../../../../i18n/index.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { UtmTemplates } from '../utm-templates.tsx'
import type { FormSection } from './section.tsx'

/** The UTM parameters, which are part of the destination. */
export const UTM: FormSection = {
  title: 'links.section.utm',
  fields: [],
  isSet: ({ destination_url }) => Object.values(utmOf(destination_url)).some((one) => one !== null),
  Fields({ draft, set, problems }) {
    const { t } = useI18n()
    const { destination_url: destination } = draft
    const utm = utmOf(destination)
    const isEmpty = destination.trim() === ''
    return (
      <>
        <p className="text-muted text-sm">{t('links.hint.utm')}</p>
        <UtmTemplates
          utm={utm}
          disabled={isEmpty}
          onPick={(values) => set({ destination_url: withUtm(destination, values) })}
        >
          <div className="grid grid-cols-2 gap-4">
            {UTM_FIELDS.map((field) => (
              <TextField
                key={field}
                autoCapitalize="none"
                label={t(`links.field.utm.${field}`)}
                error={field === 'source' ? problems.utm : undefined}
                dir="ltr"
                disabled={isEmpty}
                placeholder={PLACEHOLDERS[field]}
                value={utm[field] ?? ''}
                onChange={(typed) =>
                  set({ destination_url: withUtm(destination, { [field]: typed || null }) })
                }
              />
            ))}
          </div>
        </UtmTemplates>
      </>
    )
  },
}

/** Typical values, in any language. */
const PLACEHOLDERS = {
  source: 'newsletter',
  medium: 'email',
  campaign: 'summer',
  term: '',
  content: '',
} as const
