import { useQuery } from '@tanstack/react-query'
import { Link as RouterLink } from '@tanstack/react-router'
import { Folder as FolderIcon } from 'lucide-react'
import { Suspense, useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { lazyComponent } from '../../../lib/lazy-component.ts'
import { Button } from '../../../ui/button.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { folderQuery } from '../../groups/queries.ts'
import type { Ask, LinksSearch } from '../search.ts'

const FolderList = lazyComponent(() => import('../../groups/folder-list.tsx'), 'FolderList')

/** Chooses the folder of the list. */
export function FolderFilter({ search, ask }: { search: LinksSearch; ask: Ask }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const [open, setOpen] = useState(false)
  const { folder } = search
  const id = folder === undefined || folder === 'none' ? '' : folder
  const name = useQuery(folderQuery(workspace.id, id)).data?.name
  return (
    <Popover
      title={t('links.field.folder')}
      open={open}
      onOpenChange={setOpen}
      className="w-72"
      trigger={
        <Button brief={folder === undefined} icon={<FolderIcon />}>
          <span className="sr-only">{t('links.field.folder')}: </span>
          <bdi className="max-w-40 truncate">
            {folder === 'none' ? t('folders.none') : (name ?? t('folders.title'))}
          </bdi>
        </Button>
      }
    >
      <Suspense fallback={<div className="h-64" />}>
        <div className="flex flex-col gap-2">
          <FolderList
            value={folder ?? ''}
            withAll
            onChoose={(next) => {
              setOpen(false)
              ask({ folder: next || undefined })
            }}
          />
          <RouterLink
            to="/tags"
            search={{ tab: 'folders' }}
            className="self-start text-accent-text text-sm hover:underline"
          >
            {t('folders.manage')}
          </RouterLink>
          <RouterLink
            to="/links/deleted"
            className="self-start text-accent-text text-sm hover:underline"
          >
            {t('links.trash.title')}
          </RouterLink>
        </div>
      </Suspense>
    </Popover>
  )
}
