import { useI18n } from '../../../../i18n/index.tsx'
import { TextareaField, TextField } from '../../../../ui/text-field.tsx'
import { FillIn } from '../fill-in.tsx'
import { SocialPreviews } from '../social-previews.tsx'
import type { FormSection } from './section.tsx'

/** The link preview in messages. */
export const SOCIAL: FormSection = {
  title: 'links.section.social',
  fields: ['social'],
  Fields({ draft, set, problems }) {
    const { t } = useI18n()
    const { social } = draft
    const change = (part: Partial<typeof social>) => set({ social: { ...social, ...part } })
    return (
      <>
        <p className="text-muted text-sm">{t('links.hint.social')}</p>
        <FillIn
          destination={draft.destination_url}
          parts={['title', 'description', 'image_url']}
          onFound={({ title, description, image_url }) =>
            change({
              title: social.title || (title ?? ''),
              description: social.description || (description ?? ''),
              image_url: social.image_url || (image_url ?? ''),
            })
          }
        />
        <TextField
          label={t('links.field.social.title')}
          error={problems['social.title']}
          dir="auto"
          value={social.title}
          onChange={(title) => change({ title })}
        />
        <TextareaField
          label={t('links.field.social.description')}
          error={problems['social.description']}
          dir="auto"
          rows={2}
          value={social.description}
          onChange={(description) => change({ description })}
        />
        <TextField
          label={t('links.field.social.image')}
          error={problems['social.image_url']}
          type="url"
          dir="ltr"
          placeholder="https://"
          value={social.image_url}
          onChange={(image_url) => change({ image_url })}
        />
        <div className="xl:hidden">
          <SocialPreviews social={social} host={draft.domain} />
        </div>
      </>
    )
  },
}
