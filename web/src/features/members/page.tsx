import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite.tsx'
import { MemberList } from './list.tsx'
import { membersQuery } from './queries.ts'

const route = getRouteApi('/shell/members')

/** The members of the workspace, and open invitations. */
export function MembersPage() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const members = useQuery(membersQuery(workspace.id))
  const { create: inviting } = route.useSearch()
  const navigate = route.useNavigate()
  const invite = () => void navigate({ search: { create: true } })
  const close = () => void navigate({ search: {}, replace: true })
  const manages = may('members:manage')
  return (
    <Page
      title={t('members.title')}
      actions={
        manages ? (
          <Button variant="primary" icon={<UserPlus />} onClick={invite}>
            {t('members.invite')}
          </Button>
        ) : null
      }
    >
      <Answer of={members} loading={<SkeletonRows count={3} tall />}>
        {(members) => <MemberList members={members} />}
      </Answer>
      {manages ? <Invitations /> : null}
      {inviting && manages ? <InviteDialog onClose={close} /> : null}
    </Page>
  )
}
