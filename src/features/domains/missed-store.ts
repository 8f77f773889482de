import { type Selectable, sql } from 'kysely'
import type { Schema, Sql, Transaction } from '../../platform/storage/index.ts'

export type MissedPath = Selectable<Schema['missed_paths']>

/** The most rows of a domain. */
export const PATHS_MAX = 10_000
/** Rows of one statement, which also bounds a purge. */
const ROWS_AT_ONCE = 500

/**
 * Adds counts to those of other nodes; `rows` are sorted alike on all of them. Of a domain with too
 * many paths the least requested are dropped, of those the oldest: a flood of random paths only
 * replaces paths that were requested as rarely.
 */
export async function addMisses(
  tx: Transaction,
  rows: readonly MissedPath[],
  max = PATHS_MAX,
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await tx.db
      .insertInto('missed_paths')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .onConflict((conflict) =>
        conflict.columns(['domain_no', 'path_key']).doUpdateSet((eb) => ({
          count: eb('missed_paths.count', '+', eb.ref('excluded.count')),
          last_at: eb.ref('excluded.last_at'),
        })),
      )
      .execute()
  }
  for (const domainNo of new Set(rows.map(({ domain_no }) => domain_no))) {
    await tx.db
      .deleteFrom('missed_paths')
      .where('domain_no', '=', domainNo)
      .where('path_key', 'in', (eb) =>
        eb
          .selectFrom('missed_paths as p')
          .select('p.path_key')
          .where('p.domain_no', '=', domainNo)
          .orderBy('p.count', 'desc')
          .orderBy('p.last_at', 'desc')
          .orderBy('p.path_key', 'desc')
          .limit(rows.length)
          .offset(max),
      )
      .execute()
  }
}

/** The domains that still exist, of several. */
export async function existing({ db }: Sql, nos: readonly number[]): Promise<ReadonlySet<number>> {
  if (nos.length === 0) return new Set()
  const rows = await db
    .selectFrom('domains')
    .select('no')
    .where('no', 'in', nos)
    .where('status', '<>', 'removed')
    .execute()
  return new Set(rows.map(({ no }) => no))
}

/** The order of a list: its first column decides. */
const ORDERS = {
  count: ['count', 'last_at', 'path_key'],
  last_at: ['last_at', 'count', 'path_key'],
} as const
export type MissOrder = keyof typeof ORDERS
/** The values of a row's columns in an order. */
export type MissPosition = [number, number, string]

export function positionOf(row: MissedPath, order: MissOrder): MissPosition {
  return ORDERS[order].map((name) => row[name]) as MissPosition
}

/** Paths of a domain that no link has in the meantime, requested after `since`. */
export async function listMisses(
  { db }: Sql,
  domainNo: number,
  options: { order: MissOrder; below: MissPosition | null; since: number; limit: number },
): Promise<MissedPath[]> {
  const { order, below, since, limit } = options
  const columns = ORDERS[order]
  let query = db
    .selectFrom('missed_paths as m')
    .selectAll()
    .where('domain_no', '=', domainNo)
    .where('last_at', '>', since)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('slugs as s')
            .select('s.slug_key')
            .whereRef('s.slug_key', '=', 'm.path_key')
            .whereRef('s.domain_no', '=', 'm.domain_no')
            .where('s.link_seq', 'is not', null),
        ),
      ),
    )
  if (below !== null) {
    const names = sql.join(columns.map((name) => sql.ref(`m.${name}`)))
    query = query.where(sql<boolean>`(${names}) < (${sql.join(below)})`)
  }
  for (const name of columns) query = query.orderBy(`m.${name}`, 'desc')
  return query.limit(limit).execute()
}

/** Deletes some of the paths that were last requested before a time. */
export async function purgeMisses({ db }: Transaction, before: number): Promise<void> {
  await db
    .deleteFrom('missed_paths')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('domain_no', 'path_key'),
        'in',
        selectFrom('missed_paths')
          .select(['domain_no', 'path_key'])
          .where('last_at', '<=', before)
          .orderBy('last_at')
          .limit(ROWS_AT_ONCE)
          .$asTuple('domain_no', 'path_key'),
      ),
    )
    .execute()
}
