import { type RawBuilder, sql } from 'kysely'
import { type Dialect, SEQS_PER_WORKSPACE } from '../storage/index.ts'
import { indexedMatches, isIndexable, textContains } from './search.ts'
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
  /** All that matched a moment ago. */
  | { kind: 'known'; seqs: readonly number[]; count: number }

/** Whether a filter lets every link of the workspace pass, times aside. */
export function isPlain({ term, tags, domainNo, status }: LinkFilter): boolean {
  return term === null && tags.length === 0 && domainNo === null && status === null
}

/** The `seq` of each candidate, in no order. */
export function candidates(
  driver: Exclude<Driver, { kind: 'range' }>,
  filter: LinkFilter,
  { low, high }: SeqRange,
): RawBuilder<unknown> {
  if (driver.kind === 'text') return indexedMatches(filter.term ?? '', low, high)
  if (driver.kind === 'known') {
    return sql`SELECT s AS seq FROM unnest(${`{${driver.seqs.join(',')}}`}::bigint[]) s
      WHERE s BETWEEN ${low} AND ${high}`
  }
  return sql`SELECT link_seq AS seq FROM link_tags
    WHERE workspace_no = ${filter.workspaceNo} AND tag_key = ${driver.tag}
    AND link_seq BETWEEN ${low} AND ${high}`
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
  if (filter.domainNo !== null) row.push(sql<boolean>`l.domain_no = ${filter.domainNo}`)
  const tags = driver.kind === 'tag' ? filter.tags.filter((tag) => tag !== driver.tag) : filter.tags
  return { row, tags }
}

/**
 * What some filters imply, said so that the database finds the partial index for it
 * (`links_special`, `links_domain`): rare are the links that they are about. Not for walks through
 * another index, which it would be tempted away from.
 */
function hints({ status, domainNo, workspaceNo }: LinkFilter): RawBuilder<unknown> {
  const inWorkspace = sql` AND l.workspace_no = ${workspaceNo}`
  if (domainNo !== null && domainNo !== 0) return sql`${inWorkspace} AND l.domain_no <> 0`
  return status !== null && status !== 'active' ? sql`${inWorkspace} AND ${HAS_CONDITIONS}` : sql``
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
  return driver.kind === 'range'
    ? sql`FROM links l
        WHERE l.seq BETWEEN ${range.low} AND ${range.high}${hints(filter)}${and}`
    : sql`FROM (${candidates(driver, filter, range)}) d CROSS JOIN links l
        WHERE l.seq = d.seq${and}`
}

/** Whether the term can be looked up rather than tested. */
export function hasIndexedTerm({ term }: LinkFilter, dialect: Dialect): boolean {
  return term !== null && isIndexable(term, dialect)
}
