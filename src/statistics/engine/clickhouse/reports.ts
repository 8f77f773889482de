import { createReports, type ReportOptions } from '../../reports/index.ts'
import type { AskableReports } from '../../types.ts'
import { queriedPages } from '../shared/export.ts'
import type { ClickHouse } from './client.ts'
import { clickHouseDialect as dialect } from './dialect.ts'

/** Clicks of one query of an export: ClickHouse reads a whole month for each. */
const EXPORT_PAGE = 20_000

/** Reports on the clicks in ClickHouse. The server cancels queries of clients that have left. */
export function createClickHouseReports(
  { rows: query }: Pick<ClickHouse, 'rows'>,
  options?: ReportOptions,
): AskableReports {
  const pages = queriedPages({ dialect, query }, EXPORT_PAGE)
  return createReports({ dialect, query, pages }, options)
}
