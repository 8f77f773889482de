import { DAY_MS } from '../../intervals.ts'
import type { Dialect } from '../../reports/dialect.ts'
import { createReports } from '../../reports/index.ts'
import { linkNumbersSql } from '../../reports/lists.ts'
import type { AskableReports } from '../../types.ts'
import { queriedPages } from '../shared/export.ts'
import type { LinkFacts, LinkNumbers } from '../types.ts'
import type { ClickHouse } from './client.ts'

/** ClickHouse's SQL, for the tables of `schema.ts`. */
export const dialect: Dialect = {
  parameter: (no) => `{p${no}:String}`,
  among: (expression, numbers) =>
    numbers.length === 0 ? '1 = 0' : `${expression} IN (${numbers.join(',')})`,
  // No link has the number 0, which is all that empty lists have.
  members({ links, groups }) {
    const list = (text: string) =>
      `arrayMap(number -> toInt64OrZero(number), splitByChar(',', '${text}'))`
    return `(SELECT pair.1 AS of_link, pair.2 AS member
      FROM (SELECT arrayJoin(arrayZip(${list(links)}, ${list(groups)})) AS pair))`
  },
  // Visitors of different days differ by the day that their hash is combined with.
  distinctVisitors: (condition) =>
    `uniqExactIf(bitXor(visitor, bitShiftLeft(time - time % ${DAY_MS}, 13)),
      visitor IS NOT NULL AND ${condition})`,
  bytewise: (expression) => expression,
  lower: (expression) => `lowerUTF8(${expression})`,
  table(name, workspace) {
    if (name === 'summed_days') return summedDays(workspace)
    const from = name === 'daily' ? 'daily FINAL' : name
    const isCurrent = (before: string) =>
      ({
        clicks: `time >= ${before} * ${DAY_MS}`,
        daily: `day < ${before}`,
        click_sums: `day >= ${before} AND (workspace, day, version) IN (
          SELECT workspace, day, max(version) FROM summed_days WHERE clicks >= 0 GROUP BY 1, 2)`,
      })[name]
    if (workspace !== null) {
      const before = `(SELECT max(before) FROM purged WHERE workspace = ${workspace})`
      return `(SELECT * FROM ${from} WHERE ${isCurrent(before)})`
    }
    return `(SELECT ${name}.* FROM ${from} LEFT JOIN
      (SELECT workspace AS w, max(before) AS done FROM purged GROUP BY w) boundaries
      ON w = ${name}.workspace WHERE ${isCurrent('done')})`
  },
}

/** The last row of each day that isn't purged. */
function summedDays(workspace: number | null): string {
  const [own, before] =
    workspace === null
      ? ['1 = 1', '0']
      : [
          `workspace = ${workspace}`,
          `(SELECT max(before) FROM purged WHERE workspace = ${workspace})`,
        ]
  return `(SELECT workspace, day, last AS clicks FROM (
    SELECT workspace, day, argMax(clicks, version) AS last FROM summed_days
    WHERE ${own} AND day >= ${before} GROUP BY workspace, day))`
}

/** Clicks of one query of an export: ClickHouse reads a whole month for each. */
const EXPORT_PAGE = 20_000

/** Reports on the clicks in ClickHouse. The server cancels queries of clients that have left. */
export function createClickHouseReports(
  { rows: query }: Pick<ClickHouse, 'rows'>,
  facts?: LinkFacts,
): AskableReports {
  const pages = queriedPages({ dialect, query }, EXPORT_PAGE)
  return createReports({ dialect, query, pages }, facts)
}

/** Numbers of links, first ≤ `seq` < end, by their clicks and the totals of purged days. */
export async function* linkNumbers(
  clickHouse: Pick<ClickHouse, 'stream'>,
  range: readonly [number, number],
): AsyncGenerator<LinkNumbers, undefined> {
  for await (const rows of clickHouse.stream(linkNumbersSql(dialect, range))) {
    for (const row of rows) yield row.map(Number) as LinkNumbers
  }
  return undefined
}
