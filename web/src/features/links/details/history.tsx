import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Bot, Server, Terminal, UserRound } from 'lucide-react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { Section } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { showToast, useAction } from '../../../ui/toast.tsx'
import { PersonName } from '../../members/person.tsx'
import { useLinkActions } from '../actions.ts'
import { type HistoryEntry, historyKey, historyQuery, type Link, restoreLink } from '../queries.ts'
import { Change } from './change.tsx'

const ACTORS = { user: UserRound, api_key: Bot, command: Terminal, system: Server } as const

/** Every change of a link, with a way to restore earlier versions. */
export function LinkHistory({ link, writable }: { link: Link; writable: boolean }) {
  const { t } = useI18n()
  const client = useQueryClient()
  const { workspace } = usePlace()
  const actions = useLinkActions()
  const history = useInfiniteQuery(historyQuery(workspace.id, link))
  const entries = history.data ?? []

  const restore = useAction(
    /** `undo`: the version to go back to afterwards; null: none is offered. */
    ({ version }: { version: number; undo: number | null }) => restoreLink(link.id, version),
    async (restored, { undo }) => {
      actions.written(restored)
      await client.invalidateQueries({ queryKey: historyKey(workspace.id, link.id) })
      void actions.refresh()
      showToast({
        title: t('links.restored'),
        ...(undo !== null && {
          action: {
            label: t('common.undo'),
            onClick: () => restore.mutate({ version: undo, undo: null }),
          },
        }),
      })
    },
  )

  return (
    <Section title={t('links.history')}>
      {history.error && !history.data ? (
        <Problem error={history.error} onRetry={() => history.refetch()} />
      ) : history.data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : entries.length === 0 ? (
        <p className="text-muted">{t('links.noHistory')}</p>
      ) : (
        <ol className="flex flex-col">
          {entries.map((entry) => (
            <Entry
              key={entry.id}
              entry={entry}
              now={entry.version === link.version}
              busy={restore.isPending && restore.variables.version === entry.version}
              onRestore={
                isEarlierState(entry, link) && writable
                  ? () => restore.mutate({ version: entry.version, undo: link.version })
                  : undefined
              }
            />
          ))}
        </ol>
      )}
      <More list={history} label={t('links.olderChanges')} />
    </Section>
  )
}

/** A deletion has no state to restore. */
function isEarlierState({ action, version }: HistoryEntry, link: Link): boolean {
  return action !== 'link.deleted' && version > 0 && version < link.version
}

function Entry({
  entry,
  now,
  busy,
  onRestore,
}: {
  entry: HistoryEntry
  now: boolean
  busy: boolean
  onRestore: (() => void) | undefined
}) {
  const { t } = useI18n()
  const Icon = ACTORS[entry.actor.type]
  const action = entry.action.replace('link.', '') as
    | 'created'
    | 'updated'
    | 'deleted'
    | 'restored'
    | 'blocked'
    | 'unblocked'
  const changes = Object.entries(entry.changes)
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-line border-b py-3 last:border-0">
      <div className="flex min-w-0 flex-1 basis-80 flex-col gap-1.5">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium">{t(`links.action.${action}`)}</span>
          <span className="flex min-w-0 items-center gap-1 text-muted">
            <Icon size={13} className="shrink-0" />
            <span className="[overflow-wrap:anywhere]">
              <PersonName actor={entry.actor} />
            </span>
          </span>
          <span className="text-faint text-sm">
            <RelativeTime time={entry.created_at} />
          </span>
        </p>
        {changes.length > 0 ? (
          <ul className="flex flex-col gap-0.5 text-sm">
            {changes.map(([field, change]) => (
              <Change key={field} field={field} created={action === 'created'} {...change} />
            ))}
          </ul>
        ) : null}
      </div>
      {now ? (
        <span className="text-faint text-sm">{t('links.current')}</span>
      ) : onRestore ? (
        <Button size="sm" loading={busy} onClick={onRestore}>
          {t('links.restore')}
        </Button>
      ) : null}
    </li>
  )
}
