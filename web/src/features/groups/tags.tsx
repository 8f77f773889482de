import { useInfiniteQuery } from '@tanstack/react-query'
import { Link as RouterLink } from '@tanstack/react-router'
import { Merge, Pencil, Share2, Tag as TagIcon, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { useCalmed } from '../../lib/use-debounced.ts'
import { MenuItem, MenuSeparator, MoreMenu } from '../../ui/menu.tsx'
import { ShareThis } from '../shares/button.tsx'
import { type Tag, tagsQuery } from './calls.ts'
import { GroupList, ROW } from './group-list.tsx'
import { DeleteTagDialog, MergeDialog, TagDialog } from './tag-dialogs.tsx'
import { TagDot } from './tag-dot.tsx'

/** The open dialog. */
type Open = { kind: 'edit'; tag: Tag | null } | { kind: 'merge' | 'share' | 'delete'; tag: Tag }

/** The tags of the workspace. */
export function Tags() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const [text, setText] = useState('')
  const [open, setOpen] = useState<Open | null>(null)
  const list = useInfiniteQuery(tagsQuery(workspace.id, useCalmed(text, 150)))
  const tags = list.data ?? []
  const writable = may('links:write')
  const close = () => setOpen(null)
  return (
    <>
      <GroupList
        list={list}
        text={text}
        onText={setText}
        searchLabel={t('tags.search')}
        createLabel={t('tags.create')}
        onCreate={writable ? () => setOpen({ kind: 'edit', tag: null }) : undefined}
        empty={{
          icon: <TagIcon size={28} />,
          title: t('tags.empty.title'),
          text: t('tags.empty.text'),
        }}
      >
        {tags.map((tag) => (
          <li key={tag.id} className={ROW}>
            <TagDot colour={tag.colour} />
            <span className="flex min-w-0 flex-1">
              <RouterLink
                to="/links"
                search={{ tag: [tag.name] }}
                dir="auto"
                className="truncate rounded-xs font-medium hover:underline"
              >
                {tag.name}
              </RouterLink>
            </span>
            <span className="tabular text-muted text-sm">
              {t('tags.links', { count: tag.links })}
            </span>
            {writable ? <TagMenu tag={tag} onOpen={setOpen} /> : null}
          </li>
        ))}
      </GroupList>
      {open?.kind === 'edit' ? <TagDialog tag={open.tag} onClose={close} /> : null}
      {open?.kind === 'merge' ? <MergeDialog tag={open.tag} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareThis
          fresh={{ subject: { tag: open.tag.name }, name: open.tag.name }}
          onClose={close}
        />
      ) : null}
      {open?.kind === 'delete' ? <DeleteTagDialog tag={open.tag} onClose={close} /> : null}
    </>
  )
}

function TagMenu({ tag, onOpen }: { tag: Tag; onOpen: (open: Open) => void }) {
  const { t } = useI18n()
  return (
    <MoreMenu label={t('tags.actions', { name: tag.name })}>
      <MenuItem icon={<Pencil />} onClick={() => onOpen({ kind: 'edit', tag })}>
        {t('tags.edit')}
      </MenuItem>
      <MenuItem icon={<Merge />} onClick={() => onOpen({ kind: 'merge', tag })}>
        {t('tags.merge')}
      </MenuItem>
      <MenuItem icon={<Share2 />} onClick={() => onOpen({ kind: 'share', tag })}>
        {t('shares.share')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 />} onClick={() => onOpen({ kind: 'delete', tag })}>
        {t('tags.delete')}
      </MenuItem>
    </MoreMenu>
  )
}
