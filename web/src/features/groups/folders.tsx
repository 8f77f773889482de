import { useInfiniteQuery } from '@tanstack/react-query'
import { Link as RouterLink } from '@tanstack/react-router'
import { Folder as FolderIcon, FolderLock, FolderOpen, Pencil, Share2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { useCalmed } from '../../lib/use-debounced.ts'
import { MenuItem, MenuSeparator, MoreMenu } from '../../ui/menu.tsx'
import { ShareThis } from '../shares/button.tsx'
import { type Folder, foldersQuery } from './calls.ts'
import { DeleteFolderDialog, FolderDialog } from './folder-dialogs.tsx'
import { GroupList, ROW } from './group-list.tsx'

/** The open dialog. */
type Open = { kind: 'edit'; folder: Folder | null } | { kind: 'share' | 'delete'; folder: Folder }

/** The folders of the workspace that the person can see. */
export function Folders() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const [text, setText] = useState('')
  const [open, setOpen] = useState<Open | null>(null)
  const list = useInfiniteQuery(foldersQuery(workspace.id, useCalmed(text, 150)))
  const folders = list.data ?? []
  const writable = may('links:write')
  const close = () => setOpen(null)
  return (
    <>
      <GroupList
        list={list}
        text={text}
        onText={setText}
        searchLabel={t('folders.search')}
        createLabel={t('folders.create')}
        onCreate={writable ? () => setOpen({ kind: 'edit', folder: null }) : undefined}
        empty={{
          icon: <FolderOpen size={28} />,
          title: t('folders.empty.title'),
          text: t('folders.empty.text'),
        }}
      >
        {folders.map((folder) => (
          <FolderRow key={folder.id} folder={folder} writable={writable} onOpen={setOpen} />
        ))}
      </GroupList>
      {open?.kind === 'edit' ? <FolderDialog folder={open.folder} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareThis
          fresh={{ subject: { folder_id: open.folder.id }, name: open.folder.name }}
          onClose={close}
        />
      ) : null}
      {open?.kind === 'delete' ? <DeleteFolderDialog folder={open.folder} onClose={close} /> : null}
    </>
  )
}

function FolderRow({
  folder,
  writable,
  onOpen,
}: {
  folder: Folder
  writable: boolean
  onOpen: (open: Open) => void
}) {
  const { t } = useI18n()
  const Icon = folder.access === 'members' ? FolderLock : FolderIcon
  return (
    <li className={ROW}>
      <Icon size={16} className="shrink-0 text-faint" />
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 py-1">
        <RouterLink
          to="/links"
          search={{ folder: folder.id }}
          dir="auto"
          className="min-w-0 truncate rounded-xs font-medium hover:underline"
        >
          {folder.name}
        </RouterLink>
        {folder.access === 'members' ? (
          <span className="text-faint text-sm">{t('folders.access.members')}</span>
        ) : null}
      </div>
      <span className="tabular text-muted text-sm">{t('tags.links', { count: folder.links })}</span>
      {writable ? (
        <MoreMenu label={t('tags.actions', { name: folder.name })}>
          <MenuItem icon={<Pencil />} onClick={() => onOpen({ kind: 'edit', folder })}>
            {t('folders.edit')}
          </MenuItem>
          <MenuItem icon={<Share2 />} onClick={() => onOpen({ kind: 'share', folder })}>
            {t('shares.share')}
          </MenuItem>
          <MenuSeparator />
          <MenuItem danger icon={<Trash2 />} onClick={() => onOpen({ kind: 'delete', folder })}>
            {t('folders.delete')}
          </MenuItem>
        </MoreMenu>
      ) : null}
    </li>
  )
}
