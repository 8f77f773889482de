import { sql } from 'kysely'
import { bySql } from '../../platform/storage/index.ts'
import { isTag } from '../tags/index.ts'
import type { Fragment, LinkFilter, SeqRange } from './filter-types.ts'
import { tagNames } from './joined.ts'

/** Whether the counters `x` have clicks, imported ones included. */
export const WAS_CLICKED = sql`(x.total > 0 OR x.imported > 0)`

/** PostgreSQL would turn `NOT EXISTS` into a join of all links and all counters. */
const HAS_NO_COUNTERS = bySql({
  sqlite: sql`NOT EXISTS (SELECT 1 FROM link_counters x WHERE x.link_seq = l.seq)`,
  postgres: sql`(SELECT 1 FROM link_counters x WHERE x.link_seq = l.seq) IS NULL`,
})

/** From `FROM` on: the links `l` of a range without a row of counters yet. They are few and new. */
export function withoutCounters(workspaceNo: number, { low, high }: SeqRange): Fragment {
  // Only one lower bound, or the planner may start at the other one, a million links too early.
  return sql`links l
    WHERE l.seq > (SELECT coalesce(max(w.link_seq), ${low - 1})
        FROM counter_watermarks w WHERE w.workspace_no = ${workspaceNo})
      AND l.seq <= ${high} AND +l.seq >= ${low} AND ${HAS_NO_COUNTERS}`
}

/** The conditions on what the row `l` has. */
export function hadTests({ workspaceNo, ...filter }: LinkFilter): Fragment[] {
  const { anyTagNos, createdByIds, hasRules, hasPassword, isTagged, isClicked } = filter
  const not = (isWanted: boolean) => sql.raw(isWanted ? 'NOT' : '')
  const tests: Fragment[] = []
  if (anyTagNos !== null) {
    tests.push(sql`EXISTS (SELECT 1 FROM link_tags t WHERE t.workspace_no = ${workspaceNo}
      AND ${isTag('t', anyTagNos)} AND t.link_seq = l.seq)`)
  }
  if (createdByIds !== null) tests.push(isMadeBy('l', createdByIds))
  if (hasRules !== null) {
    tests.push(sql`${not(hasRules)} (l.rules IS NULL AND l.variants IS NULL)`)
  }
  if (hasPassword !== null) tests.push(sql`${not(hasPassword)} (l.password_hash IS NULL)`)
  // The numbers may be of deleted tags.
  if (isTagged !== null) tests.push(sql`${not(isTagged)} (${tagNames('l')} = '[]')`)
  if (isClicked !== null) {
    tests.push(sql`${not(!isClicked)} EXISTS (SELECT 1 FROM link_counters x
      WHERE x.link_seq = l.seq AND ${WAS_CLICKED})`)
  }
  return tests
}

/** Whether a row of `links` has a destination; exactly as the index `links_target` has it. */
export function leadsTo(table: string, url: string): Fragment {
  const column = sql.ref(`${table}.target_url`)
  return bySql({
    sqlite: sql`${column} = ${url}`,
    postgres: sql`(hashtextextended(${column}, 0) = hashtextextended(${url}, 0)
      AND ${column} = ${url})`,
  })
}

/** Whether one of some creators made the row; with the condition of the index `links_created_by`. */
export function isMadeBy(table: string, ids: readonly string[]): Fragment {
  const column = sql.ref(`${table}.created_by`)
  return sql`(${column} IS NOT NULL AND ${column} IN (${sql.join(ids)}))`
}

/** Whether a row was created within a filter's times. */
export function createdBetween(
  table: string,
  { createdFrom, createdUntil }: Pick<LinkFilter, 'createdFrom' | 'createdUntil'>,
): Fragment {
  const column = sql.ref(`${table}.created_at`)
  const tests: Fragment[] = [sql`TRUE`]
  if (createdFrom !== null) tests.push(sql`${column} >= ${createdFrom}`)
  if (createdUntil !== null) tests.push(sql`${column} < ${createdUntil}`)
  return sql.join(tests, sql` AND `)
}
