import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { useShowError } from '../../../ui/toast.tsx'
import { showJob } from '../../jobs/calls.ts'
import { changeFound, countFound, type FoundChange, type LinkList } from '../calls.ts'
import type { Selection } from '../list/use-selection.ts'
import type { LinksSearch } from '../search.ts'

/** The selection in a list. */
export interface FoundProps {
  selection: Selection
  search: LinksSearch
  list: LinkList | undefined
}

/** Changes all matches of the filters, as a job of the server. */
export function useFoundChange(selection: Selection, search: LinksSearch) {
  const showError = useShowError()
  const { workspace } = usePlace()
  const client = useQueryClient()
  return (change: FoundChange) => {
    const { found, clear } = selection
    if (found === null) return
    clear()
    changeFound(search, found, change)
      .then((job) => showJob(client, workspace.id, job))
      .catch(showError)
  }
}

/** Selects all matches if there are more than are selected. */
export function SelectFound({ selection, search, list }: FoundProps) {
  const { t } = useI18n()
  const showError = useShowError()
  const [busy, setBusy] = useState(false)
  const { found, count, set, selectFound } = selection
  if (list === undefined || found !== null) return null
  const { total, total_is_exact: isExact, has_more, prev_cursor } = list.pagination
  if (isExact !== false && total <= count) return null
  const select = async () => {
    if (!has_more && prev_cursor === null) return set(list.data, true)
    setBusy(true)
    // Of very many the list counts only the first.
    try {
      selectFound(isExact === false ? await countFound(search) : total)
    } catch (error) {
      showError(error)
    }
    setBusy(false)
  }
  return (
    <Button className="max-sm:px-0" variant="ghost" loading={busy} onClick={() => void select()}>
      {isExact === false
        ? t('links.bulk.selectAllFound')
        : t('links.bulk.selectFound', { count: total })}
    </Button>
  )
}
