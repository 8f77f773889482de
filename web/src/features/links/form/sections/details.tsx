import { useI18n } from '../../../../i18n/index.tsx'
import { TextareaField, TextField } from '../../../../ui/text-field.tsx'
import { FolderField } from './folder-field.tsx'
import type { FormSection, SectionProps } from './section.tsx'

/** The descriptive fields. */
export const DETAILS: FormSection = {
  title: 'links.section.details',
  fields: ['title', 'folder_id', 'notes', 'external_id'],
  Fields,
}

function Fields({ draft, set, problems }: SectionProps) {
  const { t } = useI18n()
  return (
    <>
      <TextField
        label={t('links.field.title')}
        hint={t('links.hint.title')}
        error={problems.title}
        dir="auto"
        value={draft.title}
        onChange={(title) => set({ title })}
      />
      <FolderField
        value={draft.folder_id}
        onChange={(folder_id) => set({ folder_id })}
        error={problems.folder_id}
      />
      <TextareaField
        label={t('links.field.notes')}
        hint={t('links.hint.notes')}
        error={problems.notes}
        dir="auto"
        value={draft.notes}
        onChange={(notes) => set({ notes })}
      />
      <TextField
        label={t('links.field.externalId')}
        hint={t('links.hint.externalId')}
        error={problems.external_id}
        value={draft.external_id}
        onChange={(external_id) => set({ external_id })}
      />
    </>
  )
}
