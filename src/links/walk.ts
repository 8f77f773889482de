import { sql } from 'kysely'
import { bySql } from '../storage/index.ts'
import type { Fragment, LinkFilter, SeqRange } from './filter.ts'

export const SORTS = ['created_at', 'updated_at', 'clicks', 'last_clicked_at', 'slug'] as const
export type Sort = (typeof SORTS)[number]

/** A place in a sorted list: on a link, or next to one. Ties of the key are broken by `seq`. */
export interface Position {
  /**
   * The sort's key: a time in milliseconds, a number of clicks, a slug's key. 0 where a link was
   * never clicked; for `created_at` it is `seq`.
   */
  key: number | string
  seq: number
}

/** A part of a sorted list. */
export interface Walk {
  filter: Pick<LinkFilter, 'workspaceNo'>
  range: SeqRange
  sort: Sort
  descending: boolean
  /** Exclusive; null: the beginning of the list. */
  after: Position | null
}

/** What a sort reads in order: a table whose index begins with the workspace and the key. */
interface Source {
  /** Ends in a condition. */
  from: Fragment
  key: Fragment
  seq: Fragment
}

/**
 * The next `steps` links of a sort with their keys (`k`, `seq`), in order, whether they match the
 * filter or not. Counters whose link is deleted are among them.
 *
 * It is a compound whose every arm comes out of an index in that order, so that the database merges
 * them and stops early. A position makes two arms, its ties and what comes after them, because
 * SQLite would read all the ties of `(key, seq) < (?, ?)`, and half of all links may have no clicks.
 */
export function walkSql(walk: Walk, steps: number): Fragment {
  const direction = directionOf(walk)
  const order = sql` ORDER BY k ${direction}, seq ${direction} LIMIT ${steps}`
  const arms = armsOf(walk, steps)
  if (arms.length === 1) return sql`${arms[0]}${order}`
  return bySql({
    sqlite: sql`${sql.join(arms, sql` UNION ALL `)}${order}`,
    // PostgreSQL sorts a compound as a whole, unless each arm says how much of it is needed.
    postgres: sql`${sql.join(
      arms.map((arm) => sql`(${arm}${order})`),
      sql` UNION ALL `,
    )}${order}`,
  })
}

/** For `ORDER BY`. */
export function directionOf({ descending }: Pick<Walk, 'descending'>): Fragment {
  return descending ? sql`DESC` : sql`ASC`
}

/** For comparisons with a position: what comes after it. */
export function beyond({ descending }: Pick<Walk, 'descending'>): Fragment {
  return descending ? sql`<` : sql`>`
}

function armsOf(walk: Walk, steps: number): Fragment[] {
  const { filter, range, sort, after } = walk
  const links = (key: Fragment): Source => ({
    from: sql`links l WHERE l.workspace_no = ${filter.workspaceNo}`,
    key,
    seq: sql`l.seq`,
  })
  const counters = (key: Fragment): Source => ({
    from: sql`link_counters c WHERE c.workspace_no = ${filter.workspaceNo}`,
    key,
    seq: sql`c.link_seq`,
  })
  switch (sort) {
    case 'created_at': {
      const rest = after === null ? sql`` : sql` AND l.seq ${beyond(walk)} ${after.seq}`
      return [
        sql`SELECT l.seq AS k, l.seq AS seq FROM links l
          WHERE l.seq BETWEEN ${range.low} AND ${range.high}${rest}`,
      ]
    }
    case 'updated_at':
      return keyed(walk, links(sql`l.updated_at`))
    case 'slug':
      return keyed(walk, links(sql`l.slug_key`))
    case 'clicks':
      return [...keyed(walk, counters(sql`c.total`)), ...uncounted(walk, steps)]
    case 'last_clicked_at':
      return [...keyed(walk, counters(LAST_CLICKED)), ...uncounted(walk, steps)]
  }
}

/** Word for word what `link_counters_last` covers. */
const LAST_CLICKED = sql`coalesce(c.last_clicked_at, 0)`

function keyed({ descending, after }: Walk, { from, key, seq }: Source): Fragment[] {
  const arm = (where: Fragment) => sql`SELECT ${key} AS k, ${seq} AS seq FROM ${from}${where}`
  if (after === null) return [arm(sql``)]
  const later = beyond({ descending })
  return [
    arm(sql` AND ${key} = ${after.key} AND ${seq} ${later} ${after.seq}`),
    arm(sql` AND ${key} ${later} ${after.key}`),
  ]
}

/** A key of the other arms' type: PostgreSQL would convert what it has, and have to sort it again. */
const ZERO = bySql({ sqlite: sql`0`, postgres: sql`0::bigint` })

/** PostgreSQL would make a join of `NOT EXISTS`, of all links and all counters. */
const HAS_NO_COUNTERS = bySql({
  sqlite: sql`NOT EXISTS (SELECT 1 FROM link_counters x WHERE x.link_seq = l.seq)`,
  postgres: sql`(SELECT 1 FROM link_counters x WHERE x.link_seq = l.seq) IS NULL`,
})

/** Links without a row of counters yet: they are few and new, and their key is 0. */
function uncounted(walk: Walk, steps: number): Fragment[] {
  const { filter, range, after, descending } = walk
  const side = after === null ? 1 : descending ? Number(after.key) : -Number(after.key)
  if (side < 0) return []
  const rest = after !== null && side === 0 ? sql` AND l.seq ${beyond(walk)} ${after.seq}` : sql``
  // A sole lower bound, or the planner may start at the other one, a million links too early.
  const arm = sql`SELECT ${ZERO} AS k, l.seq AS seq FROM links l
    WHERE l.seq > (SELECT coalesce(max(w.link_seq), ${range.low - 1})
        FROM counter_watermarks w WHERE w.workspace_no = ${filter.workspaceNo})
      AND l.seq <= ${range.high} AND +l.seq >= ${range.low} AND ${HAS_NO_COUNTERS}${rest}`
  // In the primary key's order, so that PostgreSQL doesn't sort all of them.
  const cut = sql`${arm} ORDER BY l.seq ${directionOf(walk)} LIMIT ${steps}`
  return [bySql({ sqlite: arm, postgres: sql`SELECT k, seq FROM (${cut}) u` })]
}
