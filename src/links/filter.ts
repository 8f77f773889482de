import { type RawBuilder, sql } from 'kysely'
import { bySql, type Dialect, SEQS_PER_WORKSPACE } from '../storage/index.ts'
import { indexedMatches, isIndexable, textContains, textIsLike } from './search.ts'
import { HAS_CONDITIONS, type Status, statusSql } from './status.ts'

/** Which links of a workspace a list is about. */
export interface LinkFilter {
  workspaceNo: number
  /** Folded like the texts that it is looked for in. */
  term: string | null
  /** Keys of tags; a link must have them all. */
  tags: readonly string[]
  domainNo: number | null
  status: Status | null
  /** Bounds of `created_at`: from, inclusive, and until, exclusive. */
  createdFrom: number | null
  createdUntil: number | null
}

/** The links of a filter's workspace and time: a range of `seq`, bounds included. */
export interface SeqRange {
  low: number
  high: number
  /** Whether it is all of the workspace. */
  whole: boolean
}

/** The range of all the links of a workspace, those to come included. */
export function wholeRange(workspaceNo: number): SeqRange {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  return { low, high: low + SEQS_PER_WORKSPACE - 1, whole: true }
}

/**
 * Where the candidates of a list come from: the smallest set that the database can enumerate by
 * itself. What the filter demands besides is tested link by link.
 */
export type Driver =
  | { kind: 'range'; count: number }
  | { kind: 'text'; count: number }
  | { kind: 'tag'; tag: string; count: number }
  /** A domain other than the default one. */
  | { kind: 'domain'; count: number }
  /** What may have another status than active. */
  | { kind: 'special'; count: number }
  /** All that matched a moment ago. */
  | { kind: 'known'; seqs: readonly number[]; count: number }

/** Whether a filter lets every link of the workspace pass, times aside. */
export function isPlain({ term, tags, domainNo, status }: LinkFilter): boolean {
  return term === null && tags.length === 0 && domainNo === null && status === null
}

/** Numbers as PostgreSQL reads an array. */
export function arrayOf(seqs: readonly number[]): string {
  return `{${seqs.join(',')}}`
}

/** The `seq` of each candidate, in no order. */
export function candidates(
  driver: Exclude<Driver, { kind: 'range' }>,
  filter: LinkFilter,
  { low, high }: SeqRange,
): RawBuilder<unknown> {
  if (driver.kind === 'domain' || driver.kind === 'special') {
    return sql`SELECT l.seq AS seq FROM links l
      WHERE l.seq BETWEEN ${low} AND ${high} AND ${partOf(driver, filter)}`
  }
  if (driver.kind === 'text') return indexedMatches(filter.term ?? '', low, high)
  if (driver.kind === 'known') {
    return bySql({
      sqlite: sql`SELECT s.value AS seq FROM json_each(${`[${driver.seqs.join(',')}]`}) s
        WHERE s.value BETWEEN ${low} AND ${high}`,
      postgres: sql`SELECT s AS seq FROM unnest(${arrayOf(driver.seqs)}::bigint[]) s
        WHERE s BETWEEN ${low} AND ${high}`,
    })
  }
  return sql`SELECT link_seq AS seq FROM link_tags
    WHERE workspace_no = ${filter.workspaceNo} AND tag_key = ${driver.tag}
    AND link_seq BETWEEN ${low} AND ${high}`
}

/** What is a link's `seq` in `matching`, said so that its order is the candidates'. */
export function seqOf({ kind }: Driver): RawBuilder<unknown> {
  const own = sql`l.seq`
  if (kind === 'tag' || kind === 'known') return sql`d.seq`
  return kind === 'text' ? bySql({ sqlite: sql`d.seq`, postgres: own }) : own
}

/** What remains to be tested of each candidate; `row` tests need the link's row as `l`. */
export interface Tests {
  row: RawBuilder<boolean>[]
  /** These only need `seq`, an expression given by the caller. */
  tags: readonly string[]
}

/** What a driver's candidates must be tested for. */
export function testsOf(driver: Driver, filter: LinkFilter, nowMs: number): Tests {
  const row: RawBuilder<boolean>[] = []
  if (filter.term !== null && driver.kind !== 'text') row.push(textContains(filter.term))
  if (filter.status !== null) row.push(statusSql(filter.status, nowMs))
  if (filter.domainNo !== null && driver.kind !== 'domain') {
    row.push(sql<boolean>`l.domain_no = ${filter.domainNo}`)
  }
  const tags = driver.kind === 'tag' ? filter.tags.filter((tag) => tag !== driver.tag) : filter.tags
  return { row, tags }
}

/** Word for word what a partial index covers (`links_domain`, `links_special`), so that it is found. */
function partOf(
  { kind }: Extract<Driver, { kind: 'domain' | 'special' }>,
  { domainNo, workspaceNo }: LinkFilter,
): RawBuilder<unknown> {
  return kind === 'domain'
    ? sql`l.workspace_no = ${workspaceNo} AND l.domain_no = ${domainNo} AND l.domain_no <> 0`
    : sql`l.workspace_no = ${workspaceNo} AND ${HAS_CONDITIONS}`
}

/** ` AND …` for each test of the link `l`. */
export function andTests({ row, tags }: Tests, workspaceNo: number): RawBuilder<unknown> {
  const parts = [
    ...tags.map(
      (tag) => sql`EXISTS (SELECT 1 FROM link_tags t WHERE t.workspace_no = ${workspaceNo}
        AND t.tag_key = ${tag} AND t.link_seq = l.seq)`,
    ),
    ...row,
  ]
  return parts.length === 0 ? sql`` : sql` AND ${sql.join(parts, sql` AND `)}`
}

/** From `FROM` on: every link `l` that matches, the driver's candidates first. */
export function matching(
  driver: Driver,
  filter: LinkFilter,
  range: SeqRange,
  nowMs: number,
): RawBuilder<unknown> {
  const and = andTests(testsOf(driver, filter, nowMs), filter.workspaceNo)
  const rows = sql`FROM links l WHERE l.seq BETWEEN ${range.low} AND ${range.high}`
  if (driver.kind === 'range') return sql`${rows}${and}`
  if (driver.kind === 'domain' || driver.kind === 'special') {
    return sql`${rows} AND ${partOf(driver, filter)}${and}`
  }
  const joined = sql`FROM (${candidates(driver, filter, range)}) d CROSS JOIN links l
    WHERE l.seq = d.seq${and}`
  if (driver.kind !== 'text') return joined
  // Its index is on the rows themselves: a join would read each of them twice.
  const within = sql`${rows} AND ${textIsLike(filter.term ?? '')}${and}`
  return bySql({ sqlite: joined, postgres: within })
}

/** Whether the term can be looked up rather than tested. */
export function hasIndexedTerm({ term }: LinkFilter, dialect: Dialect): boolean {
  return term !== null && isIndexable(term, dialect)
}
