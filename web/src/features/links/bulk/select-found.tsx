import { useQueryClient } from '@tanstack/react-query'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { useAction } from '../../../ui/toast.tsx'
import { showJob } from '../../jobs/queries.ts'
import type { Selection } from '../list/use-selection.ts'
import { changeFound, countFound, type FoundChange, type LinkList } from '../queries.ts'
import type { LinksSearch } from '../search.ts'

/** The selection in a list. */
export interface FoundProps {
  selection: Selection
  search: LinksSearch
  list: LinkList | undefined
}

/** Changes all matches of the filters, as a job of the server. */
export function useFoundChange(
  { found, clear }: Selection,
  search: LinksSearch,
): (change: FoundChange) => void {
  const { workspace } = usePlace()
  const client = useQueryClient()
  const { mutate } = useAction(
    ({ matches, change }: { matches: number; change: FoundChange }) =>
      changeFound(search, matches, change),
    (job) => showJob(client, workspace.id, job),
  )
  return (change) => {
    if (found === null) return
    clear()
    mutate({ matches: found, change })
  }
}

/** Selects all matches if there are more than are selected. */
export function SelectFound({ selection, search, list }: FoundProps) {
  const { t } = useI18n()
  const { found, count, set, selectFound } = selection
  // Of very many the list counts only the first.
  const counting = useAction(() => countFound(search), selectFound)
  if (list === undefined || found !== null) return null
  const { total, total_is_exact: isExact, has_more, prev_cursor } = list.pagination
  if (isExact !== false && total <= count) return null
  const select = () => {
    if (!has_more && prev_cursor === null) set(list.data, true)
    else if (isExact === false) counting.mutate()
    else selectFound(total)
  }
  return (
    <Button className="max-sm:px-0" variant="ghost" loading={counting.isPending} onClick={select}>
      {isExact === false
        ? t('links.bulk.selectAllFound')
        : t('links.bulk.selectFound', { count: total })}
    </Button>
  )
}
