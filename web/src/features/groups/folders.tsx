import { useInfiniteQuery } from '@tanstack/react-query'
import { Folder as FolderIcon, FolderLock, FolderOpen, Pencil, Share2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { ShareThis } from '../shares/button.tsx'
import { DeleteFolderDialog, FolderDialog } from './folder-dialogs.tsx'
import { GroupList, GroupRow } from './group-list.tsx'
import { type Folder, foldersQuery } from './queries.ts'
import { useGroupSearch } from './use-search.ts'

/** The open dialog. */
type Open = { kind: 'edit'; folder: Folder | null } | { kind: 'share' | 'delete'; folder: Folder }

/** The folders of the workspace that the person can see. */
export function Folders() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const { text, onText, asked } = useGroupSearch()
  const [open, setOpen] = useState<Open | null>(null)
  const list = useInfiniteQuery(foldersQuery(workspace.id, asked))
  const folders = list.data ?? []
  const close = () => setOpen(null)
  return (
    <>
      <GroupList
        list={list}
        text={text}
        onText={onText}
        of="folders"
        icon={<FolderOpen size={28} />}
        onCreate={may('links:write') ? () => setOpen({ kind: 'edit', folder: null }) : undefined}
      >
        {folders.map((folder) => {
          const isOfMembers = folder.access === 'members'
          const Icon = isOfMembers ? FolderLock : FolderIcon
          return (
            <GroupRow
              key={folder.id}
              icon={<Icon size={16} className="shrink-0 text-faint" />}
              group={folder}
              search={{ folder: folder.id }}
              note={isOfMembers ? t('folders.access.members') : null}
              menu={
                <>
                  <MenuItem icon={<Pencil />} onClick={() => setOpen({ kind: 'edit', folder })}>
                    {t('folders.edit')}
                  </MenuItem>
                  <MenuItem icon={<Share2 />} onClick={() => setOpen({ kind: 'share', folder })}>
                    {t('shares.share')}
                  </MenuItem>
                  <MenuSeparator />
                  <MenuItem
                    danger
                    icon={<Trash2 />}
                    onClick={() => setOpen({ kind: 'delete', folder })}
                  >
                    {t('folders.delete')}
                  </MenuItem>
                </>
              }
            />
          )
        })}
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
