import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../app/workspace.tsx'
import { ViewsMenu } from '../links/views/menu.tsx'
import { savedFiltersQuery } from '../links/views/queries.ts'
import { contentOf, isSameReport, searchOfReport } from './saved.ts'
import type { Report } from './use-report.ts'

/** Chooses saved filters, and saves the current ones; the period stays as it is. */
export function SavedFilters({ report }: { report: Report }) {
  const { workspace } = usePlace()
  const shown = contentOf(report.question)
  const { data: saved = [] } = useQuery(savedFiltersQuery(workspace.id))
  return (
    <ViewsMenu
      of="statistics"
      shown={shown}
      isEmpty={report.filters.length === 0 && report.question.bots === 'exclude'}
      current={saved.find((view) => isSameReport(view, shown))}
      size="sm"
      onShow={(view) => report.change(searchOfReport(view))}
    />
  )
}
