import { type SubmitEvent, useState } from 'react'
import { request } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'
import { useI18n } from '../i18n/index.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FormError } from '../ui/field.tsx'
import { errorText } from '../ui/problem.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSessionChanged } from './workspace.tsx'

/** A workspace of one's own. */
export function NewWorkspace({
  onClose,
  onCreated,
}: {
  onClose: () => void
  onCreated: (id: string) => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const changed = useSessionChanged()
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)

  const create = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      const { id } = await request<{ id: string }>('POST', '/api/v1/workspaces', { body: { name } })
      await changed()
      onCreated(id)
      onClose()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  const ofField = error instanceof ApiError ? error.field('name') : undefined
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('shell.newWorkspace')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form="new-workspace" loading={busy}>
            {t('shell.createWorkspace')}
          </Button>
        </>
      }
    >
      <form id="new-workspace" onSubmit={create} className="flex flex-col gap-4">
        <TextField
          label={t('shell.newWorkspaceName')}
          error={ofField}
          required
          value={name}
          onChange={setName}
        />
        <FormError message={error !== null && !ofField ? errorText(error, i18n) : null} />
      </form>
    </Dialog>
  )
}
