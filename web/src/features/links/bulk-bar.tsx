import {
  Archive,
  ArchiveRestore,
  CirclePause,
  CirclePlay,
  FolderInput,
  Trash2,
  X,
} from 'lucide-react'
import { useState } from 'react'
import { startJob } from '../../app/jobs.ts'
import { useI18n } from '../../i18n/index.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import type { Folder } from '../groups/calls.ts'
import { MoveDialog } from '../groups/folder-dialogs.tsx'
import { useLinkActions } from './actions.ts'
import { retagged, TagPopover } from './bulk-tags.tsx'
import {
  amendLink,
  deleteLink,
  type FoundChange,
  type Link,
  restoreLink,
  tryFound,
  updateLink,
} from './calls.ts'
import { Forecast } from './forecast.tsx'
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

/** The confirmation before all matches are changed, which can't be undone. */
interface Question {
  title: string
  text: string
  /** The label of the button. */
  action: string
  change: FoundChange
}

/** The bulk actions, each as a job. */
function useBulkActions(
  selection: Selection,
  startFound: (change: FoundChange) => void,
  ask: (question: Question) => void,
) {
  const { t } = useI18n()
  const { keep, refresh } = useLinkActions()
  const { links, count, found } = selection
  const askFound = (action: string, change: FoundChange) =>
    ask({ title: action, text: t('links.bulk.selected', { count }), action, change })

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
    if (found !== null) {
      return ask({
        title: t('links.bulk.deleteFound', { count }),
        text: t('links.bulk.deleteFound.text'),
        action: t('links.delete'),
        change: { delete: true },
      })
    }
    start(
      'delete',
      links,
      ({ id }) => deleteLink(id),
      (done) => start('restore', done, ({ id }) => restoreLink(id)),
    )
  }
  const enable = (enabled: boolean) => {
    if (found !== null) {
      return askFound(t(enabled ? 'links.enable' : 'links.disable'), { patch: { enabled } })
    }
    start(
      enabled ? 'enable' : 'disable',
      links.filter((link) => link.enabled !== enabled),
      async ({ id }) => keep(await updateLink(id, { enabled })),
    )
  }
  const archive = (archived: boolean, some: readonly Link[]) => {
    if (found !== null) {
      return askFound(t(archived ? 'links.archive' : 'links.unarchive'), { patch: { archived } })
    }
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
    if (found !== null) {
      const name = folder?.name ?? t('folders.none')
      return askFound(t('common.labelled', { label: t('folders.move'), value: name }), {
        patch: { folder_id },
      })
    }
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
    const retag = (link: Link) => retagged(link, added, removed)
    start('tag', links, async (link) => keep(await amendLink(link, retag)))
  }
  return { remove, enable, archive, move, tag }
}

/** Bulk actions on links. */
export function BulkBar({ selection, search, list }: FoundProps) {
  const { t } = useI18n()
  const [question, setQuestion] = useState<Question | null>(null)
  const startFound = useFoundChange(selection, search)
  const { remove, enable, archive, move, tag } = useBulkActions(selection, startFound, setQuestion)
  const { links, count, found } = selection
  const [moving, setMoving] = useState(false)
  const areArchived =
    found === null
      ? links.length > 0 && links.every((link) => link.archived)
      : search.archived === 'true'
  return (
    <section
      aria-label={t('links.bulk.selected', { count })}
      // In the toolbar's place, so that nothing moves; sticky in a long list.
      className="sticky top-0 z-20 mb-1 flex min-h-10 flex-wrap items-center gap-1 bg-canvas pb-2"
    >
      <span role="status" className="tabular me-2 font-medium">
        {t('links.bulk.selected', { count })}
      </span>
      <SelectFound selection={selection} search={search} list={list} />
      <div className="flex items-center gap-1 sm:contents">
        <TagPopover selection={selection} search={search} onTag={tag} />
        <Button brief variant="ghost" icon={<CirclePlay />} onClick={() => enable(true)}>
          {t('links.enable')}
        </Button>
        <Button brief variant="ghost" icon={<CirclePause />} onClick={() => enable(false)}>
          {t('links.disable')}
        </Button>
        <Button brief variant="ghost" icon={<FolderInput />} onClick={() => setMoving(true)}>
          {t('links.field.folder')}
        </Button>
        <Button
          brief
          variant="ghost"
          icon={areArchived ? <ArchiveRestore /> : <Archive />}
          onClick={() => archive(!areArchived, links)}
        >
          {areArchived ? t('links.unarchive') : t('links.archive')}
        </Button>
        <Button brief variant="ghost" icon={<Trash2 />} onClick={remove}>
          {t('links.delete')}
        </Button>
        <IconButton
          label={t('links.bulk.clear')}
          shortcut="Esc"
          icon={<X />}
          onClick={selection.clear}
        />
      </div>
      {question && found !== null ? (
        <ConfirmDialog
          onClose={() => setQuestion(null)}
          title={question.title}
          description={question.text}
          action={question.action}
          danger={question.change.delete === true}
          onConfirm={() => startFound(question.change)}
        >
          <Forecast
            change={[search, question.change]}
            count={count}
            ask={() => tryFound(search, found, question.change)}
          />
        </ConfirmDialog>
      ) : null}
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
