import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { membersQuery } from './calls.ts'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite.tsx'
import { MemberList } from './list.tsx'

/** Who is in the workspace, and who is invited. */
export function MembersPage() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const members = useQuery(membersQuery(workspace.id))
  const [inviting, setInviting] = useState(false)
  const manages = may('members:manage')
  return (
    <Page
      title={t('members.title')}
      actions={
        manages ? (
          <Button
            variant="primary"
            icon={<UserPlus size={14} aria-hidden="true" />}
            onClick={() => setInviting(true)}
          >
            {t('members.invite')}
          </Button>
        ) : null
      }
    >
      {members.isError ? (
        <Problem error={members.error} onRetry={() => void members.refetch()} />
      ) : members.isPending ? (
        <MembersSkeleton />
      ) : (
        <MemberList members={members.data} />
      )}
      {manages ? <Invitations /> : null}
      {inviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </Page>
  )
}

function MembersSkeleton() {
  const { t } = useI18n()
  return (
    <div className="border-line border-t">
      <Loading label={t('common.loading')} />
      {[0, 1, 2].map((row) => (
        <div
          key={row}
          className="flex h-14 items-center gap-8 overflow-hidden border-line border-b"
        >
          <Skeleton className="h-4 w-48" />
          <Skeleton className="h-4 w-20" />
        </div>
      ))}
    </div>
  )
}
