import {
  Archive,
  ArchiveRestore,
  CirclePause,
  CirclePlay,
  FolderInput,
  Tag,
  Trash2,
  X,
} from 'lucide-react'
import { useState } from 'react'
import { startJob } from '../../app/jobs.ts'
import { useI18n } from '../../i18n/index.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Popover } from '../../ui/popover.tsx'
import type { Folder } from '../groups/calls.ts'
import { MoveDialog } from '../groups/folder-dialogs.tsx'
import { useLinkActions } from './actions.ts'
import { amendLink, deleteLink, type Link, restoreLink, updateLink } from './calls.ts'
import { TagsInput } from './form/tags-input.tsx'
import type { LinksSearch } from './search.ts'
import { type FoundProps, SelectFound, useFoundChange } from './select-found.tsx'
import type { Selection } from './use-selection.ts'

type BulkKind =
  | 'delete'
  | 'enable'
  | 'disable'
  | 'tag'
  | 'restore'
  | 'archive'
  | 'unarchive'
  | 'move'

/** What changes many links; each as a work that goes on by itself. */
function useBulkActions(selection: Selection, search: LinksSearch) {
  const { t } = useI18n()
  const { keep, refresh } = useLinkActions()
  const startFound = useFoundChange(selection, search)
  const { links, found } = selection

  const start = (
    kind: BulkKind,
    items: readonly Link[],
    run: (link: Link) => Promise<unknown>,
    undo?: (done: Link[]) => void,
  ) => {
    selection.clear()
    void startJob({
      title: t(`links.bulk.${kind}.running`, { count: items.length }),
      doneTitle: t(`links.bulk.${kind}.done`, { count: items.length }),
      items,
      run,
      onEnd: () => void refresh(),
      ...(undo ? { undo } : {}),
    })
  }
  const remove = () => {
    if (found !== null) return startFound({ delete: true })
    start(
      'delete',
      links,
      ({ id }) => deleteLink(id),
      (done) => start('restore', done, ({ id }) => restoreLink(id)),
    )
  }
  const enable = (enabled: boolean) => {
    if (found !== null) return startFound({ patch: { enabled } })
    start(
      enabled ? 'enable' : 'disable',
      links.filter((link) => link.enabled !== enabled),
      async ({ id }) => keep(await updateLink(id, { enabled })),
    )
  }
  const archive = (archived: boolean, some: readonly Link[]) => {
    if (found !== null) return startFound({ patch: { archived } })
    start(
      archived ? 'archive' : 'unarchive',
      some.filter((link) => link.archived !== archived),
      async ({ id }) => keep(await updateLink(id, { archived })),
      (done) =>
        archive(
          !archived,
          done.map((link) => ({ ...link, archived })),
        ),
    )
  }
  const move = (folder: Folder | null) => {
    const folder_id = folder?.id ?? null
    if (found !== null) return startFound({ patch: { folder_id } })
    start(
      'move',
      links.filter((link) => link.folder_id !== folder_id),
      async ({ id }) => keep(await updateLink(id, { folder_id })),
      (done) =>
        start('move', done, async (was) =>
          keep(await updateLink(was.id, { folder_id: was.folder_id })),
        ),
    )
  }
  const tag = (added: string[], removed: string[]) => {
    if (found !== null) return startFound({ add_tags: added, remove_tags: removed })
    const gone = new Set(removed.map((one) => one.toLowerCase()))
    const retag = ({ tags }: Link) => {
      const kept = tags.filter((one) => !gone.has(one.toLowerCase()))
      const known = new Set(kept.map((one) => one.toLowerCase()))
      return { tags: [...kept, ...added.filter((one) => !known.has(one.toLowerCase()))] }
    }
    start('tag', links, async (link) => keep(await amendLink(link, retag)))
  }
  return { remove, enable, archive, move, tag }
}

/** Bulk actions on links. */
export function BulkBar({ selection, search, list }: FoundProps) {
  const { t } = useI18n()
  const { remove, enable, archive, move, tag } = useBulkActions(selection, search)
  const { links, count, found } = selection
  const [moving, setMoving] = useState(false)
  const [removing, setRemoving] = useState(false)
  const areArchived =
    found === null
      ? links.length > 0 && links.every((link) => link.archived)
      : search.archived === 'true'
  return (
    <section
      aria-label={t('links.bulk.selected', { count })}
      // In the toolbar's place, so that nothing moves; it stays in sight in a long list.
      className="sticky top-0 z-20 mb-1 flex min-h-10 flex-wrap items-center gap-1 bg-canvas pb-2"
    >
      <span role="status" className="tabular me-2 font-medium">
        {t('links.bulk.selected', { count })}
      </span>
      <SelectFound selection={selection} search={search} list={list} />
      <TagPopover links={links} count={count} onTag={tag} />
      <Button
        variant="ghost"
        icon={<CirclePlay size={14} aria-hidden="true" />}
        onClick={() => enable(true)}
      >
        {t('links.enable')}
      </Button>
      <Button
        variant="ghost"
        icon={<CirclePause size={14} aria-hidden="true" />}
        onClick={() => enable(false)}
      >
        {t('links.disable')}
      </Button>
      <Button
        variant="ghost"
        icon={<FolderInput size={14} aria-hidden="true" />}
        onClick={() => setMoving(true)}
      >
        {t('links.field.folder')}
      </Button>
      <Button
        variant="ghost"
        icon={
          areArchived ? (
            <ArchiveRestore size={14} aria-hidden="true" />
          ) : (
            <Archive size={14} aria-hidden="true" />
          )
        }
        onClick={() => archive(!areArchived, links)}
      >
        {areArchived ? t('links.unarchive') : t('links.archive')}
      </Button>
      <Button
        variant="ghost"
        icon={<Trash2 size={14} aria-hidden="true" />}
        onClick={found === null ? remove : () => setRemoving(true)}
      >
        {t('links.delete')}
      </Button>
      <IconButton
        label={t('links.bulk.clear')}
        shortcut="Esc"
        icon={<X size={14} aria-hidden="true" />}
        onClick={selection.clear}
      />
      <ConfirmDialog
        open={removing}
        onOpenChange={setRemoving}
        title={t('links.bulk.deleteFound', { count })}
        description={t('links.bulk.deleteFound.text')}
        action={t('links.delete')}
        onConfirm={remove}
      />
      {moving ? (
        <MoveDialog
          value={null}
          onClose={() => setMoving(false)}
          onChoose={(folder) => {
            setMoving(false)
            move(folder)
          }}
        />
      ) : null}
    </section>
  )
}

/** Tags to add to all, and tags to take from those that have them. */
function TagPopover({
  links,
  count,
  onTag,
}: {
  links: readonly Link[]
  count: number
  onTag: (added: string[], removed: string[]) => void
}) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  const [added, setAdded] = useState<string[]>([])
  const [removed, setRemoved] = useState<string[]>([])
  const have = [...new Set(links.flatMap((link) => link.tags))]
  return (
    <Popover
      title={t('links.bulk.tags')}
      open={open}
      onOpenChange={setOpen}
      align="center"
      className="w-80"
      trigger={
        <Button variant="ghost" icon={<Tag size={14} aria-hidden="true" />}>
          {t('links.field.tags')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t('links.bulk.addTags')}>
          {(control) => <TagsInput control={control} value={added} onChange={setAdded} />}
        </Field>
        <Field label={t('links.bulk.removeTags')}>
          {(control) => (
            <TagsInput control={control} value={removed} onChange={setRemoved} suggestions={have} />
          )}
        </Field>
        <Button
          variant="primary"
          disabled={added.length + removed.length === 0}
          onClick={() => {
            setOpen(false)
            onTag(added, removed)
          }}
        >
          {t('links.bulk.applyTags', { count })}
        </Button>
      </div>
    </Popover>
  )
}
