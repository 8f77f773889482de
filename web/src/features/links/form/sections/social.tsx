import { useI18n } from '../../../../i18n/index.tsx'
import { Field } from '../../../../ui/field.tsx'
import { Input, Textarea } from '../../../../ui/input.tsx'
import { SocialPreviews } from '../social-previews.tsx'
import type { FormSection, SectionProps } from './section.tsx'

/** What messages show of the link. */
export const SOCIAL: FormSection = {
  title: 'links.section.social',
  fields: ['social'],
  Fields,
}

function Fields({ draft, set, problems }: SectionProps) {
  const { t } = useI18n()
  const { social } = draft
  const change = (part: Partial<typeof social>) => set({ social: { ...social, ...part } })
  return (
    <>
      <p className="text-muted text-sm">{t('links.hint.social')}</p>
      <Field label={t('links.field.social.title')} error={problems['social.title']}>
        {(control) => (
          <Input
            {...control}
            dir="auto"
            value={social.title}
            onChange={(event) => change({ title: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('links.field.social.description')} error={problems['social.description']}>
        {(control) => (
          <Textarea
            {...control}
            dir="auto"
            rows={2}
            value={social.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('links.field.social.image')} error={problems['social.image_url']}>
        {(control) => (
          <Input
            {...control}
            type="url"
            dir="ltr"
            placeholder="https://"
            value={social.image_url}
            onChange={(event) => change({ image_url: event.target.value })}
          />
        )}
      </Field>
      <div className="xl:hidden">
        <SocialPreviews social={social} host={draft.domain} />
      </div>
    </>
  )
}
