import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { useEffect } from 'react'
import { Refused } from '../../app/refused.tsx'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { More } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Days } from './days.tsx'
import { Filters } from './filters.tsx'
import { auditQuery } from './queries.ts'
import type { AuditSearch } from './search.ts'
import { targetName } from './words.ts'

/** Every change in the workspace, newest first. */
export function AuditPage() {
  const { t } = useI18n()
  const { may } = usePlace()
  if (!may('audit:read')) return <Refused title={t('audit.title')} text={t('audit.forbidden')} />
  return <Log />
}

function Log() {
  const i18n = useI18n()
  const { t } = i18n
  const { workspace } = usePlace()
  const { w: _, ...filter }: AuditSearch & { w?: string } = useSearch({ from: '/shell/audit' })
  const navigate = useNavigate()
  const log = useInfiniteQuery(auditQuery(workspace.id, times(filter)))
  const narrow = (search: AuditSearch) => void navigate({ to: '/audit', search })
  const filtered = Object.keys(filter).length > 0
  const found = log.data?.find(({ target: { id } }) => id === filter.target)?.target
  const target = found && targetName(found, i18n)
  // A page of a search can be empty before the last one.
  const { hasNextPage, isFetching, fetchNextPage } = log
  const isSearching = log.data?.length === 0 && hasNextPage
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage()
  }, [isSearching, isFetching, fetchNextPage])
  return (
    <Page title={t('audit.title')} description={t('audit.text')}>
      <Filters filter={filter} target={target} onChange={narrow} />
      <Answer of={log} loading={<SkeletonRows count={5} />}>
        {(entries) =>
          isSearching ? (
            <SkeletonRows count={5} />
          ) : entries.length === 0 ? (
            <Empty
              icon={<ScrollText size={28} />}
              title={t(filtered ? 'audit.none.title' : 'audit.empty.title')}
              action={
                filtered ? (
                  <Button onClick={() => narrow({})}>{t('audit.filter.clear')}</Button>
                ) : null
              }
            >
              <p>{t(filtered ? 'audit.none.text' : 'audit.empty.text')}</p>
            </Empty>
          ) : (
            <Days
              entries={entries}
              onActor={(actor) => narrow({ ...filter, actor })}
              onTarget={(target) => narrow({ ...filter, target })}
            />
          )
        }
      </Answer>
      {isSearching ? null : <More list={log} label={t('audit.more')} />}
    </Page>
  )
}

/** The days of the URL as the API's times; both days are included. */
function times({ after, before, ...rest }: AuditSearch): AuditSearch {
  const start = after === undefined ? Number.NaN : Date.parse(`${after}T00:00:00`)
  const end = before === undefined ? Number.NaN : Date.parse(`${before}T23:59:59.999`)
  return {
    ...rest,
    ...(Number.isNaN(start) ? {} : { after: new Date(start).toISOString() }),
    ...(Number.isNaN(end) ? {} : { before: new Date(end).toISOString() }),
  }
}
