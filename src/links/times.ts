import { prepare, type Sql } from '../storage/index.ts'
import { type LinkFilter, type SeqRange, wholeRange } from './filter.ts'

const nextAfter = prepare<{ from: number; to: number }, { seq: number; created_at: number }>(
  (db, p) =>
    db
      .selectFrom('links')
      .select(['seq', 'created_at'])
      .where('seq', '>=', p.from)
      .where('seq', '<=', p.to)
      .orderBy('seq')
      .limit(1),
)

/**
 * The range of `seq` that a filter's times make. Within a workspace `seq` and `created_at` rise
 * together, so a search by halving finds the bounds: some twenty point reads, and no index needed.
 */
export async function rangeOf(sql: Sql, filter: LinkFilter, made: number): Promise<SeqRange> {
  const all = wholeRange(filter.workspaceNo)
  const { createdFrom, createdUntil } = filter
  if (createdFrom === null && createdUntil === null) return all
  const newest = all.low + made
  const low = createdFrom === null ? all.low : await firstSince(sql, all.low, newest, createdFrom)
  const end =
    createdUntil === null ? all.high + 1 : await firstSince(sql, all.low, newest, createdUntil)
  // Links made since `made` was read are newer than all others.
  return { low, high: end - 1, whole: false }
}

/** The lowest `seq` from which on no link is older than a time. */
async function firstSince(sql: Sql, low: number, newest: number, ms: number): Promise<number> {
  let from = low
  let to = newest + 1
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const [link] = await sql.run(nextAfter, { from: middle, to: newest })
    if (link === undefined || link.created_at >= ms) to = middle
    else from = link.seq + 1
  }
  return from
}
