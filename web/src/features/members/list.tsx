import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { may, type Role } from '../../api/session.ts'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace, useSessionChanged } from '../../app/workspace.tsx'
import { Monogram } from '../../app/workspace-switch.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { MenuItem, MoreMenu } from '../../ui/menu.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast, useShowError } from '../../ui/toast.tsx'
import { Email } from './email.tsx'
import { changeRole, type Member, membersQuery, removeMember } from './queries.ts'
import { useRoles } from './roles.ts'

/** The members of a workspace: roles can be changed in place, by those who may. */
export function MemberList({ members }: { members: readonly Member[] }) {
  const [removing, setRemoving] = useState<Member | null>(null)
  return (
    <>
      <ul className="border-line border-t">
        {members.map((member) => (
          <MemberRow
            key={member.user_id}
            member={member}
            lastOwner={
              member.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1
            }
            onRemove={() => setRemoving(member)}
          />
        ))}
      </ul>
      {removing === null ? null : (
        <RemoveDialog member={removing} onClose={() => setRemoving(null)} />
      )}
    </>
  )
}

function MemberRow({
  member,
  lastOwner,
  onRemove,
}: {
  member: Member
  lastOwner: boolean
  onRemove: () => void
}) {
  const { t, format } = useI18n()
  const { user, workspace, may } = usePlace()
  const self = member.user_id === user.id
  // Only owners can appoint and demote owners; a workspace always keeps one.
  const manages =
    may('members:manage') && (workspace.role === 'owner' || member.role !== 'owner') && !lastOwner
  const name = member.name || member.email
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 border-line border-b py-2.5 lg:grid-cols-[minmax(0,1fr)_12rem_auto]">
      <div className="flex min-w-0 items-center gap-3">
        <Monogram person name={name} picture={member.picture} />
        <div className="flex min-w-0 flex-col">
          <span title={name} className="flex min-w-0 gap-1">
            <bdi className="truncate font-medium">{name}</bdi>
            {self ? <span className="shrink-0 text-faint">· {t('members.you')}</span> : null}
          </span>
          <Email address={member.email} className="text-muted text-sm" />
        </div>
      </div>
      <span className="hidden text-faint text-sm lg:block">
        {t('members.joined', { date: format.date(member.joined_at) })}
      </span>
      <div className="flex items-center lg:w-44 justify-between gap-2">
        {manages ? (
          <RoleSelect member={member} name={name} />
        ) : (
          <span className="flex h-7 items-center px-2 lg:min-w-32 text-muted text-sm">
            {t(`role.${member.role}`)}
          </span>
        )}
        {(manages || self) && !lastOwner ? (
          <MoreMenu label={t('members.actions', { name })}>
            <MenuItem danger icon={self ? <LogOut /> : <UserMinus />} onClick={onRemove}>
              {t(self ? 'members.leave' : 'members.remove')}
            </MenuItem>
          </MoreMenu>
        ) : (
          <span className="lg:w-8" />
        )}
      </div>
    </li>
  )
}

function RoleSelect({ member, name }: { member: Member; name: string }) {
  const { t } = useI18n()
  const showError = useShowError()
  const { user, workspace } = usePlace()
  const sessionChanged = useSessionChanged()
  const client = useQueryClient()
  const { queryKey } = membersQuery(workspace.id)
  const [demotion, setDemotion] = useState<Role | null>(null)
  const [keepKeys, setKeepKeys] = useState(false)
  const change = useMutation({
    mutationFn: (role: Role) => changeRole(member.user_id, role, keepKeys),
    // Shown immediately; rolled back if it is refused.
    onMutate(role) {
      const before = client.getQueryData<Member[]>(queryKey)
      client.setQueryData<Member[]>(queryKey, (members) =>
        members?.map((one) => (one.user_id === member.user_id ? { ...one, role } : one)),
      )
      return before
    },
    onError(error, _role, before) {
      client.setQueryData(queryKey, before)
      // A dialog shows the error itself.
      if (demotion === null) showError(error)
    },
    onSuccess(_member, role, before) {
      const previous = before?.find(({ user_id }) => user_id === member.user_id)?.role
      // The keys that a demotion has revoked don't come back.
      showToast({
        title: t('members.roleChanged', { name, role: t(`role.${role}`) }),
        ...(demotion === null &&
          previous !== undefined &&
          previous !== role && {
            action: { label: t('common.undo'), onClick: () => change.mutate(previous) },
          }),
      })
      // One's own role decides what all pages show.
      if (member.user_id === user.id) void sessionChanged()
      else void client.invalidateQueries({ queryKey })
    },
  })
  const roles = useRoles()
  // A person who loses the permission for keys also loses their keys, unless the caller keeps them.
  const losesKeys = (role: Role) => may(member.role, 'keys:write') && !may(role, 'keys:write')
  return (
    <>
      <Select
        compact
        className="lg:min-w-32"
        label={t('members.role.of', { name })}
        value={member.role}
        onChange={(role) => (losesKeys(role) ? setDemotion(role) : change.mutate(role))}
        options={roles}
      />
      {demotion === null ? null : (
        <ConfirmDialog
          onClose={() => setDemotion(null)}
          title={t('members.demote.title', { name })}
          description={t('members.demote.text')}
          action={t('members.demote', { role: t(`role.${demotion}`) })}
          onConfirm={() => change.mutateAsync(demotion)}
        >
          <Checkbox checked={keepKeys} onChange={setKeepKeys} label={t('members.keepKeys')} />
        </ConfirmDialog>
      )}
    </>
  )
}

function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useI18n()
  const { user, workspace } = usePlace()
  const client = useQueryClient()
  const navigate = useNavigate()
  const sessionChanged = useSessionChanged()
  const self = member.user_id === user.id
  const name = member.name || member.email
  const [keepKeys, setKeepKeys] = useState(false)
  const remove = async () => {
    await removeMember(member.user_id, keepKeys)
    if (self) {
      showToast({ title: t('members.left', { workspace: workspace.name }) })
      await sessionChanged()
      await navigate({ to: '/links', search: { w: undefined } as never })
      return
    }
    await client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'members') })
    showToast({ title: t('members.removed', { name }) })
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={
        self
          ? t('members.leave.title', { workspace: workspace.name })
          : t('members.remove.title', { name })
      }
      description={t(self ? 'members.leave.text' : 'members.remove.text')}
      action={t(self ? 'members.leave' : 'members.remove')}
      onConfirm={remove}
    >
      {self ? null : (
        <Checkbox checked={keepKeys} onChange={setKeepKeys} label={t('members.keepKeys')} />
      )}
    </ConfirmDialog>
  )
}
