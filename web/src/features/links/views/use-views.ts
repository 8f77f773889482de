import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { showToast, useShowError } from '../../../ui/toast.tsx'
import { hideColumns } from '../list/hidden-columns.ts'
import { withoutEmpty } from '../list/page-hooks.ts'
import {
  type Content,
  createView,
  deleteView,
  linkViewsQuery,
  savedFiltersQuery,
  searchOf,
  updateView,
  type View,
} from './queries.ts'
import { type SavedOf, TEXTS } from './texts.ts'

/** Shows a view: its filters in the URL, its columns in the table. */
export function useShowView(): (view: View) => void {
  const navigate = useNavigate()
  return (view) => {
    hideColumns(view.hidden_columns)
    void navigate({ to: '/links', search: withoutEmpty(searchOf(view)) })
  }
}

/** What was saved, with its actions. */
export function useViews(of: SavedOf) {
  const { t } = useI18n()
  const client = useQueryClient()
  const { workspace } = usePlace()
  const query = (of === 'links' ? linkViewsQuery : savedFiltersQuery)(workspace.id)
  const { data: views, error } = useQuery(query)
  const refresh = () => client.invalidateQueries({ queryKey: query.queryKey })
  const failed = useShowError()
  const undo = (onClick: () => Promise<unknown>) => ({
    label: t('common.undo'),
    onClick: () => void onClick().catch(failed).finally(refresh),
  })

  return {
    views,
    error,
    refresh,
    /** Saves the current content in an existing view. */
    async overwrite(view: View, shown: Content): Promise<void> {
      const { filter, sort, order, hidden_columns, report } = view
      const before = { filter, sort, order, hidden_columns, report }
      try {
        await updateView(view.id, shown)
        const title = t(TEXTS[of].saved, { name: view.name })
        showToast({ title, action: undo(() => updateView(view.id, before)) })
      } catch (cause) {
        failed(cause)
      }
      await refresh()
    },
    async remove(view: View): Promise<void> {
      const { name, shared, filter, sort, order, hidden_columns, report } = view
      const again = { name, shared, filter, sort, order, hidden_columns, report }
      try {
        await deleteView(view.id)
        showToast({
          title: t(TEXTS[of].deleted, { name }),
          action: undo(() => createView(again)),
        })
      } catch (cause) {
        failed(cause)
      }
      await refresh()
    },
  }
}
