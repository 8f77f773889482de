import { useInfiniteQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api, ok, type Schemas } from '../../api/client.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Summary } from '../../ui/disclosure.tsx'
import { More } from '../../ui/more.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { useNewLink } from '../links/use-new-link.ts'
import { isNoise } from './noise.ts'

type Miss = Schemas['MissedPath']
type Sort = 'count' | 'last_at'

/** A workspace's domain with its id, or a host of the instance. */
interface MissedHost {
  host: string
  id?: string | undefined
}

/** The missed visits of a domain, loaded when they are unfolded. */
export function FoldedMisses({ host, id }: MissedHost) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <Summary>{id === undefined ? <bdi dir="ltr">{host}</bdi> : t('domains.misses')}</Summary>
      {open ? (
        <div className="flex flex-col gap-3 pt-2">
          {id === undefined ? null : (
            <p className="text-muted text-sm">{t('domains.misses.text')}</p>
          )}
          <Misses host={host} id={id} />
        </div>
      ) : null}
    </details>
  )
}

/** Paths that lead nowhere, those that scanners request folded away. */
export function Misses({ host, id }: MissedHost) {
  const { t, format } = useI18n()
  const { workspace } = usePlace()
  const [sort, setSort] = useState<Sort>('count')
  const misses = useInfiniteQuery(missesQuery(workspace.id, { host, id }, sort))
  return (
    <Answer of={misses}>
      {(all) => {
        const noise = all.filter(({ path }) => isNoise(path))
        const shown = all.filter(({ path }) => !isNoise(path))
        const table = { host, sort, onSort: setSort }
        return (
          <div className="flex flex-col gap-2">
            {shown.length === 0 ? (
              <p className="text-muted text-sm">{t('domains.misses.none')}</p>
            ) : (
              <MissTable {...table} misses={shown} />
            )}
            {noise.length === 0 ? null : (
              <details>
                <Summary>
                  {t('domains.misses.noise', { count: format.number(noise.length) })}
                </Summary>
                <MissTable {...table} misses={noise} />
              </details>
            )}
            <More list={misses} label={t('instance.more')} />
          </div>
        )
      }}
    </Answer>
  )
}

function MissTable({
  misses,
  host,
  sort,
  onSort,
}: {
  misses: readonly Miss[]
  host: string
  sort: Sort
  onSort: (sort: Sort) => void
}) {
  const { t, format } = useI18n()
  const { may } = usePlace()
  const newLink = useNewLink()
  const sorted = (by: Sort) => (by === sort ? ('desc' as const) : undefined)
  return (
    <Table>
      <thead>
        <tr>
          <Th className="ps-0">{t('domains.misses.path')}</Th>
          <Th end sorted={sorted('count')} onSort={() => onSort('count')}>
            {t('domains.misses.count')}
          </Th>
          <Th sorted={sorted('last_at')} onSort={() => onSort('last_at')} className="max-sm:hidden">
            {t('domains.misses.last')}
          </Th>
          {may('links:write') ? (
            <Th>
              <span className="sr-only">{t('links.create')}</span>
            </Th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {misses.map(({ path, count, last_at }) => (
          <tr key={path}>
            <Td className="py-1.5 ps-0">
              <bdi dir="ltr" className="[overflow-wrap:anywhere]">
                {path}
              </bdi>
            </Td>
            <Td end className="w-0">
              {format.number(count)}
            </Td>
            <Td className="w-0 text-muted text-sm max-sm:hidden">
              <RelativeTime time={last_at} />
            </Td>
            {may('links:write') ? (
              <Td end className="w-0 pe-0">
                <Button
                  size="sm"
                  brief
                  icon={<Plus />}
                  aria-label={t('common.labelled', { label: t('links.create'), value: path })}
                  onClick={() => newLink({ domain: host, slug: path.slice(1) })}
                >
                  {t('links.create')}
                </Button>
              </Td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function missesQuery(workspace: string, { host, id }: MissedHost, sort: Sort) {
  return pagedQuery(workspaceKey(workspace, 'misses', id ?? host, sort), (cursor, signal) => {
    const query = { sort, limit: 100, ...cursor }
    return id === undefined
      ? ok(
          api.GET('/api/v1/instance/misses', {
            params: { query: { domain: host, ...query } },
            signal,
          }),
        )
      : ok(api.GET('/api/v1/domains/{id}/misses', { params: { path: { id }, query }, signal }))
  })
}
