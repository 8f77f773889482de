import { getRouteApi } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { useMedia } from '../../../lib/media.ts'
import { useDebounced } from '../../../lib/use-debounced.ts'
import { cx } from '../../../ui/cx.ts'
import type { LinkList } from '../queries.ts'
import { LinkCards, LinkCardsSkeleton } from './link-cards.tsx'
import { LinkTable, LinkTableSkeleton } from './link-table.tsx'
import { withoutEmpty } from './page-hooks.ts'
import { Pager } from './pager.tsx'

const route = getRouteApi('/shell/links')

/** One page of the list, as a table or as cards. */
export function FoundLinks({
  list,
  isBefore,
  rows,
  ask,
}: {
  /** Undefined: loading. */
  list: LinkList | undefined
  /** It is the result of the previous query. */
  isBefore: boolean
  rows: Omit<ComponentProps<typeof LinkTable>, 'search' | 'ask'>
  ask: ComponentProps<typeof LinkTable>['ask']
}) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useMedia('(min-width: 64rem)')
  // Most responses come sooner: dimming the rows just before they change would delay that.
  const isSlow = useDebounced(isBefore, 150) && isBefore
  if (list === undefined) {
    const skeleton = wide ? <LinkTableSkeleton writable={rows.writable} /> : <LinkCardsSkeleton />
    return <div aria-busy="true">{skeleton}</div>
  }
  const go = (cursor: string | undefined, from: number | undefined) =>
    void navigate({
      search: ({ cursor: _, from: __, ...before }) => withoutEmpty({ ...before, cursor, from }),
    })
  return (
    <div aria-busy={isBefore} className={cx('transition-opacity', isSlow && 'opacity-60')}>
      {wide ? <LinkTable {...rows} search={search} ask={ask} /> : <LinkCards {...rows} />}
      <Pager
        pagination={list.pagination}
        shown={list.data.length}
        from={search.from ?? 0}
        go={go}
      />
    </div>
  )
}
