import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../../app/workspace.tsx'
import { useHiddenColumns } from '../list/hidden-columns.ts'
import type { LinksSearch } from '../search.ts'
import { ViewsMenu } from './menu.tsx'
import { isSameList, linkViewsQuery, shownOf } from './queries.ts'
import { useShowView } from './use-views.ts'

/** Chooses a saved view, and saves the current list as one. */
export function Views({ search }: { search: LinksSearch }) {
  const { workspace } = usePlace()
  const shown = shownOf(search, useHiddenColumns())
  const { data: views = [] } = useQuery(linkViewsQuery(workspace.id))
  const current = views.find((view) => isSameList(view, shown))
  return <ViewsMenu of="links" shown={shown} current={current} onShow={useShowView()} />
}
