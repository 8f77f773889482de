import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { TextField } from '../../ui/text-field.tsx'
import { type ApiKey, renameKey } from './calls.ts'

/** Renames a key. */
export function RenameDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [name, setName] = useState(apiKey.name)
  const rename = useMutation({
    mutationFn: () => renameKey(apiKey.id, name),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: [workspace.id, 'keys'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('keys.rename.title', { name: apiKey.name })}
      action={t('common.save')}
      task={rename}
      fields={['name']}
      onClose={onClose}
    >
      <TextField
        label={t('keys.name')}
        hint={t('keys.name.hint')}
        error={fieldError(rename.error, 'name')}
        required
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
    </FormDialog>
  )
}
