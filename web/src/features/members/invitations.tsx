import { useQuery, useQueryClient } from '@tanstack/react-query'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Parts } from '../../ui/parts.tsx'
import { showToast, useAction } from '../../ui/toast.tsx'
import { invitationsQuery, invite, membersQuery, type OpenInvitation, withdraw } from './queries.ts'
import { Email } from './email.tsx'

/** Open invitations; renders nothing if there are none. */
export function Invitations() {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const invitations = useQuery(invitationsQuery(workspace.id))
  return (
    <Answer of={invitations} loading={null}>
      {(all) =>
        all.length === 0 ? null : (
          <Section title={t('members.invitations')} className="mt-10">
            <ul className="border-line border-t">
              {all.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} />
              ))}
            </ul>
          </Section>
        )
      }
    </Answer>
  )
}

function InvitationRow({ invitation }: { invitation: OpenInvitation }) {
  const { t, format } = useI18n()
  const { workspace, instance } = usePlace()
  const client = useQueryClient()
  const { email, role, expires_at, invited_by } = invitation
  const remove = useAction(async () => {
    await withdraw(invitation.id)
    await client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'invitations') })
    showToast({ title: t('members.invitation.withdrawn', { email }) })
  })
  const resend = useAction(async () => {
    await invite(email, role)
    await client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'invitations') })
    showToast({ title: t('members.invite.mailed', { email }) })
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
        {instance.mail ? (
          <Button
            size="sm"
            loading={resend.isPending}
            aria-label={t('members.invitation.resendOf', { email })}
            onClick={() => resend.mutate()}
          >
            {t('members.invitation.resend')}
          </Button>
        ) : null}
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
