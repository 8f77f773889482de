import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError, fieldsWithin } from '../../ui/errors.ts'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { changesOf, draftOf, isRestricted } from './draft.ts'
import { type ApiKey, updateKey } from './queries.ts'
import { RestrictionsSection } from './restrictions.tsx'

/** Changes a key's name and restrictions. */
export function EditDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [name, setName] = useState(apiKey.name)
  const [before] = useState(() => draftOf(apiKey.restrictions))
  const [draft, setDraft] = useState(before)
  const save = useMutation({
    mutationFn: () => updateKey(apiKey.id, { name, restrictions: changesOf(draft, before) }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'keys') })
      showToast({ title: t('common.saved') })
      onClose()
    },
  })
  const { error } = save
  return (
    <FormDialog
      title={t('keys.edit.title', { name: apiKey.name })}
      action={t('common.save')}
      task={save}
      fields={['name', ...fieldsWithin(error, 'restrictions')]}
      onClose={onClose}
    >
      <TextField
        label={t('keys.name')}
        hint={t('keys.name.hint')}
        error={fieldError(error, 'name')}
        required
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      <RestrictionsSection
        draft={draft}
        set={(change) => setDraft({ ...draft, ...change })}
        error={error}
        initiallyOpen={isRestricted(before)}
      />
    </FormDialog>
  )
}
