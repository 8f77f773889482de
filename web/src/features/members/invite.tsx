import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role } from '../../api/session.ts'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { SelectField } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { InvitationLinks } from './invitation-links.tsx'
import { invite, type OpenInvitation } from './queries.ts'
import { useRoles } from './roles.ts'

/** Invites people; without email their links are shown, to be passed on. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const { workspace, instance } = usePlace()
  const client = useQueryClient()
  const [emails, setEmails] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [made, setMade] = useState<OpenInvitation[]>([])
  const [done, setDone] = useState(false)
  const create = useMutation({
    async mutationFn() {
      const invitations = [...made]
      let waiting = [...new Set(emails.split(/[\s,;]+/).filter((email) => email !== ''))]
      try {
        for (const email of waiting) {
          invitations.push(await invite(email, role))
          waiting = waiting.slice(1)
        }
      } finally {
        // After an error the field keeps only the addresses that aren't invited yet.
        setEmails(waiting.join(', '))
        setMade(invitations)
        void client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'invitations') })
      }
      return invitations
    },
    onSuccess(invitations) {
      if (invitations.some(({ url }) => url !== undefined)) {
        setDone(true)
        return
      }
      const [first] = invitations
      const title =
        invitations.length === 1 && first !== undefined
          ? t('members.invite.mailed', { email: first.email })
          : t('members.invite.mailedMany', { count: invitations.length })
      showToast({ title })
      onClose()
    },
  })
  // Links are shown once: also those made before an address was refused.
  const close = () => (made.some(({ url }) => url !== undefined) ? setDone(true) : onClose())
  const roles = useRoles()
  const [first, ...others] = made
  if (done && first !== undefined) {
    return <InvitationLinks made={[first, ...others]} onClose={onClose} />
  }
  return (
    <FormDialog
      title={t('members.invite.title')}
      description={instance.mail ? undefined : t('members.invite.noMail')}
      action={t(instance.mail ? 'members.invite.send' : 'members.invite.submit')}
      task={create}
      fields={['email', 'role']}
      onClose={close}
    >
      <TextField
        label={t('members.emails')}
        error={fieldError(create.error, 'email')}
        type="email"
        required
        multiple
        hint={t('members.emails.hint')}
        autoComplete="off"
        value={emails}
        onChange={setEmails}
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
