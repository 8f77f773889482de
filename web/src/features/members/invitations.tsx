import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Parts } from '../../ui/parts.tsx'
import { showToast, useAction } from '../../ui/toast.tsx'
import { Email } from './email.tsx'
import { InvitationLinks } from './invitation-links.tsx'
import { invitationsQuery, invite, membersQuery, type OpenInvitation, withdraw } from './queries.ts'

/** Open invitations; renders nothing if there are none. */
export function Invitations() {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const invitations = useQuery(invitationsQuery(workspace.id))
  // A new link outlives its row, which is that of the former invitation.
  const [made, setMade] = useState<OpenInvitation | null>(null)
  return (
    <>
      <Answer of={invitations} loading={null}>
        {(all) =>
          all.length === 0 ? null : (
            <Section title={t('members.invitations')} className="mt-10">
              <ul className="border-line border-t">
                {all.map((invitation) => (
                  <InvitationRow key={invitation.id} invitation={invitation} onLink={setMade} />
                ))}
              </ul>
            </Section>
          )
        }
      </Answer>
      {made === null ? null : <InvitationLinks made={[made]} onClose={() => setMade(null)} />}
    </>
  )
}

function InvitationRow({
  invitation,
  onLink,
}: {
  invitation: OpenInvitation
  /** Called with the new invitation that replaces this one, if it isn't sent by email. */
  onLink: (made: OpenInvitation) => void
}) {
  const { t, format } = useI18n()
  const { workspace, instance } = usePlace()
  const client = useQueryClient()
  const { email, role, expires_at, invited_by } = invitation
  const remove = useAction(async () => {
    await withdraw(invitation.id)
    await client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'invitations') })
    showToast({ title: t('members.invitation.withdrawn', { email }) })
  })
  const again = useAction(async () => {
    const made = await invite(email, role)
    await client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'invitations') })
    if (made.url === undefined) showToast({ title: t('members.invite.mailed', { email }) })
    else onLink(made)
  })
  const members = useQuery(membersQuery(workspace.id)).data
  const inviter = members?.find(({ email }) => email === invited_by?.email)
  const who = inviter?.name || invited_by?.email
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b py-2.5">
      <div className="flex min-w-0 flex-1 basis-56 flex-col">
        <Email address={email} className="font-medium" />
        <span className="text-muted text-sm [overflow-wrap:anywhere]">
          <Parts>
            {t(`role.${role}`)}
            {t('members.invitation.expires', { date: format.date(expires_at) })}
            {who ? (
              <span title={invited_by?.email}>{t('members.invitation.by', { who })}</span>
            ) : null}
          </Parts>
        </span>
      </div>
      <div className="flex items-center gap-2">
        <Button
          size="sm"
          loading={again.isPending}
          aria-label={
            instance.mail
              ? t('members.invitation.resendOf', { email })
              : t('common.labelled', { label: t('members.invitation.newLink'), value: email })
          }
          onClick={() => again.mutate()}
        >
          {t(instance.mail ? 'members.invitation.resend' : 'members.invitation.newLink')}
        </Button>
        <Button
          size="sm"
          loading={remove.isPending}
          aria-label={t('members.invitation.withdrawOf', { email })}
          onClick={() => remove.mutate()}
        >
          {t('members.invitation.withdraw')}
        </Button>
      </div>
    </li>
  )
}
