import type { Api } from '../http/index.ts'
import { registerClickRoutes } from './api/clicks-routes.ts'
import { registerExportRoutes } from './api/export-routes.ts'
import type { StatisticsRoutesDeps } from './api/parts.ts'
import { registerReportRoutes } from './api/stats-routes.ts'
import { createQuerySchemas } from './query.ts'

export { registerStatisticsDashboardRoutes } from './api/dashboard-routes.ts'

/** The endpoints of statistics: reports, single clicks, the live stream, exports. */
export function registerStatisticsRoutes(api: Pick<Api, 'add'>, deps: StatisticsRoutesDeps): void {
  const queries = createQuerySchemas(() => deps.statistics.domains)
  registerReportRoutes(api, deps, queries)
  registerClickRoutes(api, deps, queries)
  registerExportRoutes(api, deps, queries)
}
