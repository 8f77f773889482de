import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionChanged } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { deleteWorkspace, type Workspace } from '../queries.ts'

/** Deletes a workspace. It can't be undone, so its name has to be typed. */
export function DeleteWorkspace({ workspace }: { workspace: Workspace }) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  return (
    <CardSection
      title={t('settings.workspace.delete')}
      description={t('settings.workspace.delete.text')}
    >
      <Button variant="danger" className="self-start" onClick={() => setOpen(true)}>
        {t('settings.workspace.delete')}
      </Button>
      {open ? <DeleteDialog workspace={workspace} onClose={() => setOpen(false)} /> : null}
    </CardSection>
  )
}

function DeleteDialog({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const { t } = useI18n()
  const { name } = workspace
  const navigate = useNavigate()
  const sessionChanged = useSessionChanged()
  const [typed, setTyped] = useState('')
  const remove = useMutation({
    mutationFn: () => deleteWorkspace(name),
    async onSuccess() {
      showToast({ title: t('settings.workspace.deleted', { name }) })
      await sessionChanged()
      await navigate({ to: '/links', search: { w: undefined } as never })
    },
  })
  const fits = typed.trim() === name.trim()
  return (
    <FormDialog
      onClose={onClose}
      title={t('settings.workspace.delete.title', { name })}
      description={t('settings.workspace.delete.text')}
      action={t('settings.workspace.delete')}
      danger
      disabled={!fits}
      task={remove}
    >
      <TextField
        label={t('settings.workspace.delete.confirm', { name })}
        autoComplete="off"
        value={typed}
        onChange={setTyped}
      />
    </FormDialog>
  )
}
