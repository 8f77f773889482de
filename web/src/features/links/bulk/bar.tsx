import {
  Archive,
  ArchiveRestore,
  CirclePause,
  CirclePlay,
  FolderInput,
  Trash2,
  X,
} from 'lucide-react'
import { useRef, useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { startJob } from '../../../app/jobs.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { useI18n } from '../../../i18n/index.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { MoveDialog } from '../../groups/folder-dialogs.tsx'
import type { Folder } from '../../groups/queries.ts'
import { useLinkActions } from '../actions.ts'
import type { Selection } from '../list/use-selection.ts'
import {
  type BulkOperation,
  bulkLinks,
  type FoundChange,
  type Link,
  type LinkPatch,
  tryFound,
} from '../queries.ts'
import { Forecast } from './forecast.tsx'
import { type FoundProps, SelectFound, useFoundChange } from './select-found.tsx'
import { TagPopover } from './tags.tsx'

type BulkKind =
  | 'delete'
  | 'enable'
  | 'disable'
  | 'tag'
  | 'restore'
  | 'archive'
  | 'unarchive'
  | 'move'

/** The confirmation before all matches are changed, also those that the page doesn't show. */
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

  const start = (kind: BulkKind, operations: readonly BulkOperation[]) => {
    const undos: BulkOperation[] = []
    void startJob({
      title: t(`links.bulk.${kind}.running`, { count: operations.length }),
      doneTitle: t(`links.bulk.${kind}.done`, { count: operations.length }),
      items: operations,
      async run(some) {
        const outcomes = await bulkLinks([...some])
        return outcomes.map(({ index, status, link, error }) => {
          if (error) return new ApiError(status, error.code, error.message, error.details)
          if (link) keep(link)
          const undo = undoOf(some[index], link, versions)
          if (undo && kind !== 'restore') undos.push(undo)
          return null
        })
      },
      onEnd: () => void refresh(),
      undo: () => (undos.length === 0 ? undefined : () => start('restore', undos)),
    })
  }
  const versions = new Map(links.map(({ id, version }) => [id, version]))
  /** Changes those of the selected links that differ. */
  const update = (kind: BulkKind, patch: LinkPatch, differs: (link: Link) => boolean) => {
    selection.clear()
    start(
      kind,
      links.filter(differs).map(({ id }) => ({ op: 'update', id, link: patch })),
    )
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
    selection.clear()
    start(
      'delete',
      links.map(({ id }) => ({ op: 'delete', id })),
    )
  }
  const enable = (enabled: boolean) => {
    if (found !== null) {
      return askFound(t(enabled ? 'links.enable' : 'links.disable'), { patch: { enabled } })
    }
    update(enabled ? 'enable' : 'disable', { enabled }, (link) => link.enabled !== enabled)
  }
  const archive = (archived: boolean) => {
    if (found !== null) {
      return askFound(t(archived ? 'links.archive' : 'links.unarchive'), { patch: { archived } })
    }
    update(archived ? 'archive' : 'unarchive', { archived }, (link) => link.archived !== archived)
  }
  const move = (folder: Folder | null) => {
    const folder_id = folder?.id ?? null
    if (found !== null) {
      const name = folder?.name ?? t('folders.none')
      return askFound(t('common.labelled', { label: t('folders.move'), value: name }), {
        patch: { folder_id },
      })
    }
    update('move', { folder_id }, (link) => link.folder_id !== folder_id)
  }
  const tag = (added: string[], removed: string[]) => {
    const change = { add_tags: added, remove_tags: removed }
    if (found !== null) return startFound(change)
    update('tag', change, () => true)
  }
  return { remove, enable, archive, move, tag }
}

/** The operation that undoes another one, unless the link is changed in the meantime. */
function undoOf(
  operation: BulkOperation | undefined,
  link: Link | undefined,
  versions: ReadonlyMap<string, number>,
): BulkOperation | null {
  if (operation?.op === 'delete') return { op: 'restore', id: operation.id ?? '' }
  // Nothing has changed.
  if (link === undefined || link.version === versions.get(link.id)) return null
  const { id, version } = link
  return { op: 'restore', id, version: version - 1, if_match: version }
}

/** Bulk actions on links, also by the keys that otherwise act on the current row. */
export function BulkBar({ selection, search, list }: FoundProps) {
  const { t } = useI18n()
  const [question, setQuestion] = useState<Question | null>(null)
  const startFound = useFoundChange(selection, search)
  const { remove, enable, archive, move, tag } = useBulkActions(selection, startFound, setQuestion)
  const { links, count, found } = selection
  const [moving, setMoving] = useState(false)
  const tags = useRef<HTMLButtonElement>(null)
  useShortcuts({
    t: () => tags.current?.click(),
    m: () => setMoving(true),
    '#': remove,
    Delete: remove,
  })
  const areArchived =
    found === null
      ? links.length > 0 && links.every((link) => link.archived)
      : search.archived === 'true'
  return (
    <section
      aria-label={t('links.bulk.selected', { count })}
      // In the toolbar's place, so that nothing moves; sticky in a long list.
      className="sticky top-0 z-20 -mx-3 mb-1 flex min-h-10 flex-wrap items-center gap-1 bg-canvas px-3 pb-2"
    >
      <span role="status" className="tabular me-2 font-medium">
        {t('links.bulk.selected', { count })}
      </span>
      <SelectFound selection={selection} search={search} list={list} />
      <div className="flex items-center gap-1 sm:contents">
        <TagPopover button={tags} selection={selection} search={search} onTag={tag} />
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
          onClick={() => archive(!areArchived)}
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
