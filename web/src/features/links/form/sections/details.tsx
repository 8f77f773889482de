import { useI18n } from '../../../../i18n/index.tsx'
import { Field } from '../../../../ui/field.tsx'
import { Input, Textarea } from '../../../../ui/input.tsx'
import { FolderField } from './folder-field.tsx'
import type { FormSection, SectionProps } from './section.tsx'

/** What people and other systems know the link by. */
export const DETAILS: FormSection = {
  title: 'links.section.details',
  fields: ['title', 'folder_id', 'notes', 'external_id'],
  Fields,
}

function Fields({ draft, set, problems }: SectionProps) {
  const { t } = useI18n()
  return (
    <>
      <Field label={t('links.field.title')} hint={t('links.hint.title')} error={problems.title}>
        {(control) => (
          <Input
            {...control}
            dir="auto"
            value={draft.title}
            onChange={(event) => set({ title: event.target.value })}
          />
        )}
      </Field>
      <FolderField
        value={draft.folder_id}
        onChange={(folder_id) => set({ folder_id })}
        error={problems.folder_id}
      />
      <Field label={t('links.field.notes')} hint={t('links.hint.notes')} error={problems.notes}>
        {(control) => (
          <Textarea
            {...control}
            dir="auto"
            value={draft.notes}
            onChange={(event) => set({ notes: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={t('links.field.externalId')}
        hint={t('links.hint.externalId')}
        error={problems.external_id}
      >
        {(control) => (
          <Input
            {...control}
            value={draft.external_id}
            onChange={(event) => set({ external_id: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}
