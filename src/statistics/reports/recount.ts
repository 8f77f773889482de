import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { Dialect } from './dialect.ts'

/**
 * A SELECT of links' numbers by their stored clicks and purged days, ordered by link: link, human
 * clicks, other clicks, human visitors.
 * @param links to count: first ≤ link < end
 */
export function linkNumbersSql(
  dialect: Dialect,
  [first, end]: readonly [first: number, end: number],
): string {
  const within = `workspace >= ${Math.floor(first / SEQS_PER_WORKSPACE)}
    AND workspace < ${Math.ceil(end / SEQS_PER_WORKSPACE)} AND link >= ${first} AND link < ${end}`
  const sumOf = (column: string, condition: string) =>
    `coalesce(sum(${column}) FILTER (WHERE ${condition}), 0)`
  return `SELECT link, sum(human) AS humans, sum(bot) AS bots, sum(unique_visitors) AS visitors
    FROM (
      SELECT link, count(*) FILTER (WHERE kind = 0) AS human,
        count(*) FILTER (WHERE kind <> 0) AS bot,
        ${dialect.distinctVisitors('kind = 0')} AS unique_visitors
      FROM ${dialect.table('clicks', null)} WHERE ${within} GROUP BY link
      UNION ALL
      SELECT link, ${sumOf('clicks', 'kind = 0')} AS human, ${sumOf('clicks', 'kind <> 0')} AS bot,
        ${sumOf('uniques', 'kind = 0')} AS unique_visitors
      FROM ${dialect.table('daily', null)} WHERE ${within} GROUP BY link
    ) parts GROUP BY link ORDER BY link`
}
