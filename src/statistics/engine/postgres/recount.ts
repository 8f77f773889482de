import { CompiledQuery, sql } from 'kysely'
import { SEQS_PER_WORKSPACE, type Storage } from '../../../storage/index.ts'
import { linkNumbersSql } from '../../reports/recount.ts'
import type { LinkNumbers } from '../types.ts'
import { postgresDialect } from './dialect.ts'

/** Links of one query, at most. */
const LINKS_PER_QUERY = 1_000

/** Numbers of links, first ≤ `seq` < end, by their clicks and the totals of purged days. */
export async function* linkNumbers(
  { reports }: Pick<Storage, 'reports'>,
  [first, end]: readonly [number, number],
): AsyncGenerator<LinkNumbers, undefined> {
  for (let from = first; ; from += LINKS_PER_QUERY) {
    const next = await nextLink(reports, from)
    if (next === null || next >= end) return undefined
    from = next
    const query = linkNumbersSql(postgresDialect, [from, Math.min(from + LINKS_PER_QUERY, end)])
    const { rows } = await reports.db.executeQuery<object>(CompiledQuery.raw(query))
    for (const row of rows) yield Object.values(row).map(Number) as LinkNumbers
  }
}

/** The first link from `from` on that has stored clicks or totals. */
async function nextLink({ db }: Storage['reports'], from: number): Promise<number | null> {
  const workspace = Math.floor(from / SEQS_PER_WORKSPACE)
  const { rows } = await sql<{ link: number | null }>`SELECT least(
      (SELECT link FROM clicks WHERE link >= ${from} ORDER BY link LIMIT 1),
      (SELECT link FROM daily WHERE (workspace, link) >= (${workspace}, ${from})
        ORDER BY workspace, link LIMIT 1)) AS link`.execute(db)
  return rows[0]?.link ?? null
}
