import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../api/client.ts'
import { useI18n } from '../i18n/index.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { fieldError } from '../ui/errors.ts'
import { TextField } from '../ui/text-field.tsx'
import { useSessionChanged } from './workspace.tsx'

/** Creates a workspace. */
export function NewWorkspace({
  onClose,
  onCreated,
}: {
  onClose: () => void
  onCreated: (id: string) => void
}) {
  const { t } = useI18n()
  const changed = useSessionChanged()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => ok(api.POST('/api/v1/workspaces', { body: { name } })),
    async onSuccess({ id }) {
      await changed()
      onCreated(id)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('shell.newWorkspace')}
      action={t('shell.createWorkspace')}
      task={create}
      fields={['name']}
      onClose={onClose}
    >
      <TextField
        label={t('shell.newWorkspaceName')}
        error={fieldError(create.error, 'name')}
        required
        value={name}
        onChange={setName}
      />
    </FormDialog>
  )
}
