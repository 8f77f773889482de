import { type RawBuilder, sql } from 'kysely'
import { bySql } from '../storage/index.ts'
import type { SeqRange } from './filter.ts'

export const SORTS = ['created_at', 'updated_at', 'clicks', 'last_clicked_at', 'slug'] as const
export type Sort = (typeof SORTS)[number]

/** A place in a sorted list: on a link, or beside one. Ties of the key are broken by `seq`. */
export interface Position {
  /**
   * The sort's key: a time, a number of clicks, a slug's key. 0 where a link was never clicked; for
   * `created_at` it is `seq`.
   */
  key: number | string
  seq: number
}

/** The position of a link that a walk came across. */
export function positionOf({ k, seq }: { k: number | string | null; seq: number }): Position {
  return { key: k ?? 0, seq }
}

/** Which part of a sorted list to walk, and in which direction. */
export interface Walk {
  sort: Exclude<Sort, 'created_at'>
  descending: boolean
  workspaceNo: number
  range: SeqRange
  /** Exclusive. */
  after: Position | null
  /** Inclusive: where to stop at the latest. */
  until?: Position
  /** ` AND …`: further conditions on `l`, the link's row. */
  tests: RawBuilder<unknown>
  /** Counters whose link is gone may pass for links; there are no tests. */
  rough?: boolean
  /** So many are taken from its beginning, at most. */
  need: number
}

/** For `ORDER BY`; no key comes before all keys, as SQLite has it and PostgreSQL has not. */
export function directionSql(descending: boolean): RawBuilder<unknown> {
  return descending ? sql`DESC NULLS LAST` : sql`ASC NULLS FIRST`
}

/**
 * The keys (`k`) and `seq` of links in the order of a sort, as a compound whose every arm comes out
 * of an index in that order: so the database merges them, and stops as soon as it has enough.
 *
 * A position makes two arms, the rest of its ties and what lies beyond them, because SQLite would
 * read through all the ties of `(key, seq) < (?, ?)`, and half of all links may have no clicks.
 */
export function walkSql(walk: Walk): RawBuilder<{ k: number | string | null; seq: number }> {
  const direction = directionSql(walk.descending)
  const order = sql` ORDER BY k ${direction}, seq ${direction}`
  const arms = armsOf(walk)
  if (arms.length === 1) return sql`${arms[0]}${order}`
  // PostgreSQL sorts a compound as a whole, unless each arm says how much of it is wanted.
  const cut = arms.map((each) => sql`(${each}${order} LIMIT ${walk.need})`)
  return bySql({
    sqlite: sql`${sql.join(arms, sql` UNION ALL `)}${order}`,
    postgres: sql`${sql.join(cut, sql` UNION ALL `)}${order}`,
  })
}

/** Keys of the other arms' type: PostgreSQL would convert what it has, and have to sort it again. */
const ZERO = bySql({ sqlite: sql`0`, postgres: sql`0::bigint` })
const NEVER = bySql({ sqlite: sql`NULL`, postgres: sql`NULL::bigint` })

function armsOf(walk: Walk): RawBuilder<unknown>[] {
  switch (walk.sort) {
    case 'updated_at':
      return keyed(walk, LINKS, sql`l.updated_at`)
    case 'slug':
      return keyed(walk, LINKS, sql`l.slug_key`)
    case 'clicks':
      return [...keyed(walk, COUNTERS, sql`c.total`), ...uncounted(walk, ZERO)]
    case 'last_clicked_at': {
      const key = sql`c.last_clicked_at`
      return [
        ...keyed(walk, COUNTERS, key, sql` AND ${key} IS NOT NULL`),
        // Its key is a column, though always null, so that the index's order is seen to fit.
        ...zeros(walk, COUNTERS, key, sql` AND ${key} IS NULL`),
        ...uncounted(walk, NEVER),
      ]
    }
  }
}

/** What an arm reads: whose index begins with the workspace and the key. */
interface Source {
  from: RawBuilder<unknown>
  rough?: RawBuilder<unknown>
  workspace: RawBuilder<unknown>
  seq: RawBuilder<unknown>
}

const LINKS: Source = {
  from: sql`links l WHERE 1 = 1`,
  workspace: sql`l.workspace_no`,
  seq: sql`l.seq`,
}

/** The links that the click worker has counted. Its row may outlive a link by a while. */
const COUNTERS: Source = {
  from: sql`link_counters c CROSS JOIN links l WHERE l.seq = c.link_seq`,
  rough: sql`link_counters c WHERE 1 = 1`,
  workspace: sql`c.workspace_no`,
  seq: sql`c.link_seq`,
}

function arm(
  walk: Walk,
  { from, rough = from, workspace, seq }: Source,
  key: RawBuilder<unknown>,
  conditions: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { range, workspaceNo, tests } = walk
  // No condition for a whole workspace, so that nothing lures the planner away from the index.
  const within = range.whole ? sql`` : sql` AND ${seq} BETWEEN ${range.low} AND ${range.high}`
  return sql`SELECT ${key} AS k, ${seq} AS seq FROM ${walk.rough ? rough : from}
    AND ${workspace} = ${workspaceNo}${conditions}${within}${tests}`
}

/** The arms over keys as an index has them. */
function keyed(
  walk: Walk,
  source: Source,
  key: RawBuilder<unknown>,
  known: RawBuilder<unknown> = sql``,
): RawBuilder<unknown>[] {
  const { after, until, descending } = walk
  const beyond = descending ? sql`<` : sql`>`
  const stop = until === undefined ? sql`` : untilSql(key, source.seq, until, descending)
  if (after === null) return [arm(walk, source, key, sql`${known}${stop}`)]
  const ties = sql` AND ${key} = ${after.key} AND ${source.seq} ${beyond} ${after.seq}`
  return [
    arm(walk, source, key, sql`${ties}${stop}`),
    arm(walk, source, key, sql`${known} AND ${key} ${beyond} ${after.key}${stop}`),
  ]
}

/** PostgreSQL would make a join of it, of all links and all counters. */
const UNCOUNTED = bySql({
  sqlite: sql`NOT EXISTS (SELECT 1 FROM link_counters x WHERE x.link_seq = l.seq)`,
  postgres: sql`(SELECT 1 FROM link_counters x WHERE x.link_seq = l.seq) IS NULL`,
})

/** Links that the click worker hasn't come to yet: they are few, and have no clicks. */
function uncounted(walk: Walk, key: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { range, workspaceNo } = walk
  // A sole lower bound, or the planner may start at the other one, a million links too early.
  const source: Source = {
    from: sql`links l WHERE l.seq > (SELECT coalesce(max(w.link_seq), ${range.low - 1})
        FROM counter_watermarks w WHERE w.workspace_no = ${workspaceNo})
      AND l.seq <= ${range.high} AND +l.seq >= ${range.low}
      AND ${UNCOUNTED}`,
    workspace: sql`+l.workspace_no`,
    seq: sql`l.seq`,
  }
  const direction = walk.descending ? sql`DESC` : sql`ASC`
  return zeros({ ...walk, range: { ...range, whole: true } }, source, key, sql``).map((each) =>
    bySql({
      sqlite: each,
      // The primary key's order, but for where it has what it never has: PostgreSQL would sort all.
      postgres: sql`SELECT k, seq FROM (${each} ORDER BY l.seq ${direction} LIMIT ${walk.need}) u`,
    }),
  )
}

/** An arm whose every key counts as 0, cut to the walk's part; none if that lies elsewhere. */
function zeros(
  walk: Walk,
  source: Source,
  key: RawBuilder<unknown>,
  known: RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  const { after, until, descending } = walk
  const { seq } = source
  const conditions = [known]
  if (after !== null) {
    const lies = order(after.key, 0, descending)
    if (lies > 0) return []
    if (lies === 0) conditions.push(sql` AND ${seq} ${descending ? sql`<` : sql`>`} ${after.seq}`)
  }
  if (until !== undefined) {
    const lies = order(0, until.key, descending)
    if (lies > 0) return []
    if (lies === 0) conditions.push(sql` AND ${seq} ${descending ? sql`>=` : sql`<=`} ${until.seq}`)
  }
  return [arm(walk, source, key, sql.join(conditions, sql``))]
}

/** Above 0: `a` comes after `b` in the direction of the walk. */
function order(a: number | string, b: number | string, descending: boolean): number {
  return descending ? Number(b) - Number(a) : Number(a) - Number(b)
}

function untilSql(
  key: RawBuilder<unknown>,
  seq: RawBuilder<unknown>,
  until: Position,
  descending: boolean,
): RawBuilder<unknown> {
  const [within, inside, tie] = descending ? [sql`>=`, sql`>`, sql`>=`] : [sql`<=`, sql`<`, sql`<=`]
  return sql` AND ${key} ${within} ${until.key}
    AND (${key} ${inside} ${until.key} OR ${seq} ${tie} ${until.seq})`
}
