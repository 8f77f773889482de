import type { SessionWorkspace } from '../../api/session.ts'
import { queryClient } from '../../app/queries.ts'
import { statsBeforeQuery, statsQuery } from './calls.ts'
import type { StatisticsSearch } from './search.ts'
import { reportOf } from './use-report.ts'

/** Requests what the statistics page shows first, before it is rendered. */
export function prefetchReport(search: StatisticsSearch, workspace: SessionWorkspace): void {
  const scope = { workspace: workspace.id, linkId: null, since: workspace.created_at }
  const { question, period, before, interval } = reportOf(search, scope, () => {})
  void queryClient.prefetchQuery(statsQuery(question, period, interval))
  if (before !== null) {
    void queryClient.prefetchQuery(statsBeforeQuery(question, period, before, interval))
  }
}
