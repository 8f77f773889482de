import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import type { LinkNumbers } from '../../process/wire.ts'
import { linkNumbersSql } from '../../reports/recount.ts'
import type { ClickHouse } from './client.ts'
import { clickHouseDialect } from './dialect.ts'

/** Numbers of links, first ≤ `seq` < end, by their clicks and the totals of purged days. */
export async function* linkNumbers(
  clickHouse: Pick<ClickHouse, 'stream'>,
  [first, end]: readonly [number, number],
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<LinkNumbers, undefined> {
  const workspaceOf = (seq: number) => Math.floor(seq / SEQS_PER_WORKSPACE)
  const query = linkNumbersSql(clickHouseDialect, {
    workspaces: [workspaceOf(first), workspaceOf(end - 1) + 1],
    links: [first, end],
  })
  for await (const rows of clickHouse.stream(query, signal)) {
    for (const row of rows) yield row.map(Number) as LinkNumbers
  }
  return undefined
}
