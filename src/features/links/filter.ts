import { sql } from 'kysely'
import { isPartial } from '../../lib/base/view.ts'
import { DEFAULT_DOMAIN } from '../../model/domains/index.ts'
import {
  bySql,
  isSeen,
  prepare,
  SEQS_PER_WORKSPACE,
  type Sql,
} from '../../platform/storage/index.ts'
import { isTag } from '../tags/index.ts'
import type { Fragment, LinkFilter, SeqRange } from './filter-types.ts'
import { folderOf } from './joined.ts'
import {
  createdBetween,
  hadTests,
  isMadeBy,
  leadsTo,
  WAS_CLICKED,
  withoutCounters,
} from './row-tests.ts'
import { indexedMatches, matchOf, textContains, textOrTag } from './search.ts'
import { HAS_CONDITIONS, statusSql } from './status-tests.ts'

/** Whether a filter matches every link of the workspace, except by times. */
export function isPlain(filter: LinkFilter): boolean {
  return filter.archived === null && isPlainButArchived(filter)
}

/** The same, except for archived links. */
export function isPlainButArchived(filter: LinkFilter): boolean {
  const { term, tags, domainNo, targetUrl, status, folder, view, only } = filter
  const { anyTag, hasRules, hasPassword, isTagged, isClicked, createdBy } = filter
  const had = [anyTag, hasRules, hasPassword, isTagged, isClicked, createdBy]
  const single = [term, domainNo, targetUrl, status, folder, only, ...had]
  return single.every((value) => value === null) && tags.length === 0 && !isPartial(view)
}

/**
 * Whether all matches have conditions of their own, which a partial index covers. Links covered by
 * other blocks need not have any.
 */
function isByCondition({ status, covering }: LinkFilter): boolean {
  if (status === null || status === 'active') return false
  return status !== 'blocked' || covering === null
}

/** The condition on the row `l` of `links` without its tags. */
export function rowTests(filter: LinkFilter, nowMs: number): Fragment {
  const { term, status, domainNo, targetUrl, covering, archived, folder, view, only } = filter
  const tests: Fragment[] = [sql`TRUE`]
  if (only !== null) tests.push(sql`l.seq IN (SELECT n.seq FROM (${linksIn(only)}) n)`)
  if (archived !== null) tests.push(sql`l.archived = ${archived ? 1 : 0}`)
  if (folder === 'none') tests.push(sql`${folderOf('l')} IS NULL`)
  else if (folder !== null) tests.push(sql`l.folder_id IN (${sql.join(folder)})`)
  if (isPartial(view)) tests.push(isSeen(view))
  if (domainNo !== null) tests.push(sql`l.domain_no = ${domainNo}`)
  if (targetUrl !== null) tests.push(leadsTo('l', targetUrl))
  if (status !== null) tests.push(statusSql(status, covering, nowMs))
  tests.push(...hadTests(filter))
  if (isByCondition(filter)) tests.push(HAS_CONDITIONS)
  if (term !== null) {
    const found = textContains(filter, term)
    const { exact } = filter
    tests.push(exact.length === 0 ? found : sql`(${found} OR l.seq IN (${sql.join(exact)}))`)
  }
  tests.push(createdBetween('l', filter))
  return sql.join(tests, sql` AND `)
}

/** From `FROM` on: the matching links `l` among `candidates` (a query of `seq`). */
export function matching(
  filter: LinkFilter,
  { low, high }: SeqRange,
  nowMs: number,
  candidates: Fragment | null,
): Fragment {
  const tags = filter.tagNos.map(
    (numbers) => sql` AND EXISTS (SELECT 1 FROM link_tags t
      WHERE t.workspace_no = ${filter.workspaceNo} AND ${isTag('t', numbers)}
        AND t.link_seq = l.seq)`,
  )
  const from =
    candidates === null
      ? sql`FROM links l WHERE TRUE`
      : sql`FROM (${candidates}) d CROSS JOIN links l WHERE l.seq = d.seq`
  return sql`${from} AND l.seq BETWEEN ${low} AND ${high}${sql.join(tags, sql``)}
    AND ${rowTests(filter, nowMs)}`
}

/** The links of a list, as candidates. */
export function linksIn(seqs: readonly number[]): Fragment {
  return bySql({
    sqlite: sql`SELECT s.value AS seq FROM json_each(${`[${seqs.join(',')}]`}) s`,
    postgres: sql`SELECT unnest(${`{${seqs.join(',')}}`}::bigint[]) AS seq`,
  })
}

/**
 * The smallest set that SQLite can enumerate by an index and that contains all matches; null: all
 * links, or the planner finds it. Sets are counted up to `most`. PostgreSQL has statistics and
 * finds it by itself.
 */
export async function smallestSet(
  sqlx: Sql,
  filter: LinkFilter,
  range: SeqRange,
  most: number,
): Promise<Fragment | null> {
  if (filter.only !== null) return linksIn(filter.only)
  if (sqlx.dialect === 'postgres') {
    // Only the two indexes together contain all matches.
    const { term, termInTags } = filter
    return term !== null && termInTags
      ? withExact(filter, textOrTag(filter, term, '', range))
      : null
  }
  const sets = indexedSets(filter, range)
  const match = filter.term === null ? null : await matchOf(sqlx, filter.term)
  if (filter.term !== null && match !== null) {
    const found = filter.termInTags
      ? textOrTag(filter, filter.term, match, range)
      : indexedMatches(match, range)
    sets.push(withExact(filter, found))
  }
  if (sets.length < 2) return sets[0] ?? null
  const sized: { set: Fragment; size: number }[] = []
  for (const set of sets) {
    const { rows } = await sql<{ n: number }>`
      SELECT count(*) AS n FROM (${set} LIMIT ${most})`.execute(sqlx.db)
    sized.push({ set, size: rows[0]?.n ?? 0 })
  }
  return sized.reduce((a, b) => (b.size < a.size ? b : a)).set
}

/** An alias isn't in the index of texts. */
function withExact({ exact }: LinkFilter, found: Fragment): Fragment {
  return exact.length === 0
    ? found
    : sql`SELECT f.seq AS seq FROM (${found}) f UNION SELECT e.seq AS seq FROM (${linksIn(exact)}) e`
}

/** The conditions must be exactly those of the partial indexes. */
function indexedSets(filter: LinkFilter, range: SeqRange): Fragment[] {
  const { workspaceNo, tagNos, domainNo, targetUrl, folder, archived, createdByIds } = filter
  const { allowed = {} } = filter.view
  const { low, high } = range
  const links = sql`SELECT l.seq AS seq FROM links l
    WHERE l.workspace_no = ${workspaceNo} AND l.seq BETWEEN ${low} AND ${high}`
  const sets = [...tagNos, ...(allowed.tags ? [allowed.tags] : [])].map(
    (numbers): Fragment => sql`SELECT ${sql.raw(numbers.length > 1 ? 'DISTINCT' : '')}
      t.link_seq AS seq FROM link_tags t
      WHERE t.workspace_no = ${workspaceNo} AND ${isTag('t', numbers)}
        AND t.link_seq BETWEEN ${low} AND ${high}`,
  )
  for (const ids of [folder === 'none' ? null : folder, allowed.folders]) {
    if (!ids || ids.length === 0) continue
    sets.push(sql`${links} AND l.folder_id IS NOT NULL AND l.folder_id IN (${sql.join(ids)})`)
  }
  for (const ids of [createdByIds, allowed.creators]) {
    if (ids) sets.push(sql`${links} AND ${isMadeBy('l', ids)}`)
  }
  if (filter.isClicked !== null) {
    // Not by an index: rows of counters are much shorter than those of links.
    const counted = sql`SELECT x.link_seq AS seq FROM link_counters x
      WHERE x.link_seq BETWEEN ${low} AND ${high} AND`
    sets.push(
      filter.isClicked
        ? sql`${counted} ${WAS_CLICKED}`
        : sql`${counted} NOT ${WAS_CLICKED}
            UNION ALL SELECT l.seq AS seq FROM ${withoutCounters(workspaceNo, range)}`,
    )
  }
  if (archived === true) sets.push(sql`${links} AND l.archived = 1`)
  if (domainNo !== null && domainNo !== 0) {
    sets.push(sql`${links} AND l.domain_no = ${domainNo} AND l.domain_no <> 0`)
  }
  const { domains = [DEFAULT_DOMAIN] } = allowed
  if (!domains.includes(DEFAULT_DOMAIN)) {
    sets.push(sql`${links} AND l.domain_no IN (${sql.join(domains)}) AND l.domain_no <> 0`)
  }
  if (targetUrl !== null) sets.push(sql`${links} AND ${leadsTo('l', targetUrl)}`)
  if (isByCondition(filter)) sets.push(sql`${links} AND ${HAS_CONDITIONS}`)
  const isByTime = filter.createdFrom !== null || filter.createdUntil !== null
  if (isByTime && filter.isOrdered === false) {
    sets.push(sql`${links} AND ${createdBetween('l', filter)}`)
  }
  return sets
}

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
 * The range of `seq` for a filter's times; `made` is how many links the workspace ever had. Within
 * a workspace `seq` and `created_at` increase together unless `isOrdered` is false, so a binary search
 * finds the bounds: some twenty point reads, and no index on `created_at`.
 */
export async function rangeOf(sqlx: Sql, filter: LinkFilter, made: number): Promise<SeqRange> {
  const { createdFrom, createdUntil, isOrdered = true } = filter
  const low = filter.workspaceNo * SEQS_PER_WORKSPACE
  const high = low + SEQS_PER_WORKSPACE - 1
  /** The lowest `seq` from which on all links were created at or after a time. */
  async function firstSince(ms: number): Promise<number> {
    // Links created after `made` was read are newer than all others.
    const newest = low + made
    let [from, to] = [low, newest + 1]
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const [link] = await sqlx.run(nextAfter, { from: middle, to: newest })
      if (link === undefined || link.created_at >= ms) to = middle
      else from = link.seq + 1
    }
    return from
  }
  return {
    low: createdFrom === null || !isOrdered ? low : await firstSince(createdFrom),
    high: createdUntil === null || !isOrdered ? high : (await firstSince(createdUntil)) - 1,
    whole: createdFrom === null && createdUntil === null,
  }
}
