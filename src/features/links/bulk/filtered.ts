import { sql } from 'kysely'
import { SEQS_PER_WORKSPACE, type Transaction } from '../../../platform/storage/index.ts'
import type { LinkContext, LinkWriter } from '../context.ts'
import { linksIn, matching, smallestSet } from '../filter.ts'
import { filterOf, find, resolve } from '../list.ts'
import type { FilterQuery } from '../list-query.ts'
import type { LinkRow } from '../row.ts'
import { selectLinks } from '../store.ts'

/** The matches of a filter at a time: their number, and the range of their `seq`. */
export interface Found {
  total: number
  low: number
  high: number
}

/** Counts the matches of a filter. */
export async function countFound(
  ctx: LinkContext,
  caller: LinkWriter,
  query: FilterQuery,
): Promise<Found> {
  const page = { ...query, sort: 'created_at', order: 'asc', limit: 1, total: 'exact' } as const
  const { total, made, found } = await find(ctx, filterOf(ctx, caller, query), page)
  const { low, high } = found.range
  // Links created later are excluded.
  return { total, low, high: Math.min(high, caller.workspace.no * SEQS_PER_WORKSPACE + made) }
}

/** The `seq` of the next matches, in order of creation. */
export async function nextFound(
  ctx: LinkContext,
  caller: LinkWriter,
  query: FilterQuery,
  range: Pick<Found, 'low' | 'high'>,
  limit: number,
): Promise<number[]> {
  const { reports, read } = ctx.storage
  const filter = await resolve(read, filterOf(ctx, caller, query))
  const all = { ...range, whole: false }
  const candidates = await smallestSet(reports, filter, all, ctx.few)
  // In the order of the candidates' index: SQLite would sort all of them for each step.
  const seq = candidates === null ? sql`l.seq` : sql`d.seq`
  const { rows } = await sql<{ seq: number }>`
    SELECT l.seq AS seq ${matching(filter, all, ctx.clock.now(), candidates)}
    ORDER BY ${seq} LIMIT ${limit}`.execute(reports.db)
  return rows.map(({ seq }) => seq)
}

/** Those of some links that still match, in a transaction: whether they were clicked isn't asked again. */
export async function stillFound(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  query: FilterQuery,
  seqs: readonly number[],
): Promise<LinkRow[]> {
  const [low = 0] = seqs
  const filter = await resolve(tx, { ...filterOf(ctx, caller, query), isClicked: null })
  const range = { low, high: seqs.at(-1) ?? 0, whole: false }
  const { rows } = await sql<{ seq: number }>`
    SELECT l.seq AS seq ${matching(filter, range, ctx.clock.now(), linksIn(seqs))}`.execute(tx.db)
  if (rows.length === 0) return []
  const found = rows.map(({ seq }) => seq)
  return selectLinks(tx).where('seq', 'in', found).orderBy('seq').execute()
}
