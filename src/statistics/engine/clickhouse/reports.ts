import { createReports } from '../../reports/index.ts'
import { linkNumbersSql } from '../../reports/recount.ts'
import type { AskableReports } from '../../types.ts'
import { queriedPages } from '../shared/export.ts'
import type { LinkFacts, LinkNumbers } from '../types.ts'
import type { ClickHouse } from './client.ts'
import { clickHouseDialect as dialect } from './dialect.ts'

/** Clicks of one query of an export: ClickHouse reads a whole month for each. */
const EXPORT_PAGE = 20_000

/** Reports on the clicks in ClickHouse. The server cancels queries of clients that have left. */
export function createClickHouseReports(
  { rows: query }: Pick<ClickHouse, 'rows'>,
  facts?: LinkFacts,
): AskableReports {
  const pages = queriedPages({ dialect, query }, EXPORT_PAGE)
  return createReports({ dialect, query, pages }, facts)
}

/** Numbers of links, first ≤ `seq` < end, by their clicks and the totals of purged days. */
export async function* linkNumbers(
  clickHouse: Pick<ClickHouse, 'stream'>,
  range: readonly [number, number],
): AsyncGenerator<LinkNumbers, undefined> {
  for await (const rows of clickHouse.stream(linkNumbersSql(dialect, range))) {
    for (const row of rows) yield row.map(Number) as LinkNumbers
  }
  return undefined
}
