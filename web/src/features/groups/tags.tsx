import { useInfiniteQuery } from '@tanstack/react-query'
import { Merge, Pencil, Share2, Tag as TagIcon, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { ShareThis } from '../shares/button.tsx'
import { GroupList, GroupRow } from './group-list.tsx'
import { type Tag, tagsQuery } from './queries.ts'
import { DeleteTagDialog, MergeDialog, TagDialog } from './tag-dialogs.tsx'
import { TagDot } from './tag-dot.tsx'
import { useGroupSearch } from './use-search.ts'

/** The open dialog. */
type Open = { kind: 'edit'; tag: Tag | null } | { kind: 'merge' | 'share' | 'delete'; tag: Tag }

/** The tags of the workspace. */
export function Tags() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const { text, onText, asked } = useGroupSearch()
  const [open, setOpen] = useState<Open | null>(null)
  const list = useInfiniteQuery(tagsQuery(workspace.id, asked))
  const tags = list.data ?? []
  const close = () => setOpen(null)
  return (
    <>
      <GroupList
        list={list}
        text={text}
        onText={onText}
        of="tags"
        icon={<TagIcon size={28} />}
        onCreate={may('links:write') ? () => setOpen({ kind: 'edit', tag: null }) : undefined}
      >
        {tags.map((tag) => (
          <GroupRow
            key={tag.id}
            icon={<TagDot color={tag.color} />}
            group={tag}
            search={{ tag: [tag.name] }}
            menu={
              <>
                <MenuItem icon={<Pencil />} onClick={() => setOpen({ kind: 'edit', tag })}>
                  {t('tags.edit')}
                </MenuItem>
                <MenuItem icon={<Merge />} onClick={() => setOpen({ kind: 'merge', tag })}>
                  {t('tags.merge')}
                </MenuItem>
                <MenuItem icon={<Share2 />} onClick={() => setOpen({ kind: 'share', tag })}>
                  {t('shares.share')}
                </MenuItem>
                <MenuSeparator />
                <MenuItem danger icon={<Trash2 />} onClick={() => setOpen({ kind: 'delete', tag })}>
                  {t('tags.delete')}
                </MenuItem>
              </>
            }
          />
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
