import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role } from '../../api/session.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog, FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { SelectField } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { invite, type OpenInvitation } from './calls.ts'
import { useRoles } from './roles.ts'

/** Invites someone; without email the link is shown, to be passed on. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t, format } = useI18n()
  const { workspace, instance } = usePlace()
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [made, setMade] = useState<OpenInvitation | null>(null)
  const create = useMutation({
    mutationFn: () => invite(email, role),
    onSuccess(invitation) {
      void client.invalidateQueries({ queryKey: [workspace.id, 'invitations'] })
      if (invitation.url) {
        setMade(invitation)
        return
      }
      showToast({ title: t('members.invite.mailed', { email: invitation.email }) })
      onClose()
    },
  })
  const roles = useRoles()
  if (made?.url) {
    const values = { email: made.email, date: format.dateTime(made.expires_at) }
    return (
      <Dialog
        onClose={onClose}
        title={t('members.invite.title')}
        description={t('members.invite.link', values)}
        footer={
          <Button variant="primary" onClick={onClose}>
            {t('members.done')}
          </Button>
        }
      >
        <CodeBlock code={made.url} />
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={t('members.invite.title')}
      description={instance.mail ? undefined : t('members.invite.noMail')}
      action={t('members.invite.submit')}
      task={create}
      fields={['email', 'role']}
      onClose={onClose}
    >
      <TextField
        label={t('members.email')}
        error={fieldError(create.error, 'email')}
        type="email"
        required
        autoComplete="off"
        value={email}
        onChange={setEmail}
      />
      <SelectField
        label={t('members.role')}
        error={fieldError(create.error, 'role')}
        value={role}
        onChange={setRole}
        options={roles}
      />
    </FormDialog>
  )
}
