import { CompiledQuery, sql } from 'kysely'
import { SEQS_PER_WORKSPACE, type Storage } from '../../../platform/storage/index.ts'
import { DAY_MS } from '../../intervals.ts'
import type { Dialect } from '../../reports/dialect.ts'
import { createReports } from '../../reports/index.ts'
import { linkNumbersSql } from '../../reports/lists.ts'
import { unlessAborted } from '../../reports/sharing.ts'
import type { AskableReports } from '../../types.ts'
import { queriedPages } from '../shared/export.ts'
import type { Engine, LinkFacts, LinkNumbers } from '../types.ts'

/** PostgreSQL's SQL, for the tables that its migrations create. */
export const dialect: Dialect = {
  parameter: (no, type) =>
    type === 'text' ? `$${no + 1}::text` : `string_to_array($${no + 1}, ',')::bigint[]`,
  among: (expression, numbers, bind) =>
    `${expression} = ANY(${bind(numbers.join(','), 'integers')})`,
  members: ({ links, groups }, bind) =>
    `(SELECT * FROM unnest(${bind(links, 'integers')}, ${bind(groups, 'integers')})
      AS pairs (of_link, member))`,
  // Visitors of different days differ by the day that their hash is combined with.
  distinctVisitors: (condition) =>
    `count(DISTINCT visitor # ((time - time % ${DAY_MS}) << 13)) FILTER (WHERE ${condition})`,
  bytewise: (expression) => `${expression} COLLATE "C"`,
  lower: (expression) => `lower(${expression} COLLATE "und-x-icu")`,
  table: (name) => name,
}

/** Clicks of one query of an export: some megabytes. */
const EXPORT_PAGE = 5_000
/** Links of one query of their numbers, at most. */
const LINKS_PER_QUERY = 1_000

/** Reports on the clicks in PostgreSQL. */
export function createPostgresReports(
  { reports }: Pick<Storage, 'reports'>,
  facts?: LinkFacts,
): AskableReports {
  const query: Engine['query'] = async (text, values, signal) => {
    signal?.throwIfAborted()
    const answer = reports.db.executeQuery<object>(CompiledQuery.raw(text, [...values]))
    // The query itself ends by the server's statement timeout.
    const { rows } = await unlessAborted(answer, signal)
    return rows.map((row) => Object.values(row))
  }
  const pages = queriedPages({ dialect, query }, EXPORT_PAGE)
  return createReports({ dialect, query, pages }, facts)
}

/** Numbers of links, first ≤ `seq` < end, by their clicks and the totals of purged days. */
export async function* linkNumbers(
  { reports }: Pick<Storage, 'reports'>,
  [first, end]: readonly [number, number],
): AsyncGenerator<LinkNumbers, undefined> {
  for (let from = first; ; from += LINKS_PER_QUERY) {
    const next = await nextLink(reports, from)
    if (next === null || next >= end) return undefined
    from = next
    const query = linkNumbersSql(dialect, [from, Math.min(from + LINKS_PER_QUERY, end)])
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
