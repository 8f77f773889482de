import { linkNumbersSql } from '../../reports/recount.ts'
import type { LinkNumbers } from '../types.ts'
import type { ClickHouse } from './client.ts'
import { clickHouseDialect } from './dialect.ts'

/** Numbers of links, first ≤ `seq` < end, by their clicks and the totals of purged days. */
export async function* linkNumbers(
  clickHouse: Pick<ClickHouse, 'stream'>,
  range: readonly [number, number],
): AsyncGenerator<LinkNumbers, undefined> {
  for await (const rows of clickHouse.stream(linkNumbersSql(clickHouseDialect, range))) {
    for (const row of rows) yield row.map(Number) as LinkNumbers
  }
  return undefined
}
