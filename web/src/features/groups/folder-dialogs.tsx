import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ConfirmDialog, Dialog, FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { SelectField } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { membersQuery } from '../members/queries.ts'
import { FolderList } from './folder-list.tsx'
import { createFolder, deleteFolder, type Folder, updateFolder } from './queries.ts'
import { useGroupsChanged } from './use-tags.ts'

/** Creates a folder, or changes its name and members. */
export function FolderDialog({
  folder,
  initialName = '',
  onClose,
  onSaved,
}: {
  folder: Folder | null
  /** The name that is offered for a new one. */
  initialName?: string
  onClose: () => void
  onSaved?: (folder: Folder) => void
}) {
  const { t } = useI18n()
  const changed = useGroupsChanged()
  const [name, setName] = useState(folder?.name ?? initialName)
  const [access, setAccess] = useState<Folder['access']>(folder?.access ?? 'workspace')
  const [members, setMembers] = useState<readonly string[]>(folder?.members ?? [])
  const save = useMutation({
    mutationFn: () => {
      const chosen = access === 'members' ? [...members] : []
      const body = { name, access, members: chosen }
      return folder === null ? createFolder(body) : updateFolder(folder, body)
    },
    async onSuccess(saved) {
      await changed()
      showToast({ title: t('folders.saved', { name: saved.name }) })
      onSaved?.(saved)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t(folder === null ? 'folders.create' : 'folders.edit')}
      action={t(folder === null ? 'folders.create.submit' : 'common.save')}
      task={save}
      fields={['name']}
      onClose={onClose}
    >
      <TextField
        label={t('tags.name')}
        error={fieldError(save.error, 'name')}
        value={name}
        autoComplete="off"
        onChange={setName}
      />
      <SelectField
        label={t('folders.access')}
        hint={t('folders.access.hint')}
        value={access}
        onChange={setAccess}
        options={(['workspace', 'members'] as const).map((value) => ({
          value,
          label: t(`folders.access.${value}`),
        }))}
      />
      {access === 'members' ? <MemberList value={members} onChange={setMembers} /> : null}
    </FormDialog>
  )
}

/** Members whose role doesn't include all folders. */
function MemberList({
  value,
  onChange,
}: {
  value: readonly string[]
  onChange: (ids: readonly string[]) => void
}) {
  const { t } = useI18n()
  const { workspace, user } = usePlace()
  const members = useQuery(membersQuery(workspace.id))
  const listed = members.data?.filter(({ role }) => role === 'member' || role === 'viewer') ?? []
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1.5 font-medium text-sm">{t('folders.members')}</legend>
      {members.isSuccess && listed.length === 0 ? (
        <p className="text-muted text-sm">{t('common.none')}</p>
      ) : null}
      {listed.map(({ user_id: id, name, email }) => {
        const isSelf = id === user.id
        return (
          <Checkbox
            key={id}
            className="min-h-9"
            label={<bdi>{name || email}</bdi>}
            hint={name ? <bdi>{email}</bdi> : null}
            disabled={isSelf}
            checked={isSelf || value.includes(id)}
            onChange={(on) => onChange(on ? [...value, id] : value.filter((one) => one !== id))}
          />
        )
      })}
    </fieldset>
  )
}

/** Asks where to move the links of a folder before it is deleted. */
export function DeleteFolderDialog({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const { t } = useI18n()
  const changed = useGroupsChanged()
  const [target, setTarget] = useState('none')
  const remove = async () => {
    await deleteFolder(folder.id, target)
    await changed()
    showToast({ title: t('folders.deleted', { name: folder.name }) })
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('folders.deleteTitle', { name: folder.name })}
      description={t('folders.deleteText')}
      action={t('folders.delete')}
      onConfirm={remove}
    >
      {folder.links > 0 ? (
        <fieldset className="flex flex-col">
          <legend className="mb-1.5 font-medium text-sm">{t('folders.moveTo')}</legend>
          <FolderList value={target} without={folder.id} onChoose={setTarget} />
        </fieldset>
      ) : null}
    </ConfirmDialog>
  )
}

/** Chooses the folder of links. */
export function MoveDialog({
  value,
  onChoose,
  onClose,
}: {
  value: string | null
  onChoose: (folder: Folder | null) => void
  onClose: () => void
}) {
  const { t } = useI18n()
  const [creating, setCreating] = useState(false)
  const [text, setText] = useState('')
  if (creating) {
    return (
      <FolderDialog
        folder={null}
        initialName={text.trim()}
        onClose={() => setCreating(false)}
        onSaved={onChoose}
      />
    )
  }
  return (
    <Dialog
      onClose={onClose}
      title={t('folders.move')}
      footer={<Button onClick={() => setCreating(true)}>{t('folders.create')}</Button>}
    >
      <FolderList
        value={value ?? 'none'}
        onText={setText}
        onChoose={(_, folder) => onChoose(folder)}
      />
    </Dialog>
  )
}
