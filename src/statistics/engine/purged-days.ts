import { DAY_MS } from '../intervals.ts'

/**
 * A SELECT of the `daily` rows that replace some clicks. A visitor counts for the link, and once for
 * the workspace, at the first click of the UTC day; so the sums over links and kinds stay exact.
 * @param source a table or subquery with the columns of `clicks`
 * @param condition which clicks are purged: whole UTC days of whole workspaces
 */
export function purgedDaysSql(source: string, condition: string): string {
  return `SELECT workspace, link, d AS day, kind, count(*) AS c,
      count(*) FILTER (WHERE visitor IS NOT NULL AND of_link = 1) AS u,
      count(*) FILTER (WHERE visitor IS NOT NULL AND of_workspace = 1) AS w
    FROM (
      SELECT workspace, link, d, kind, visitor,
        row_number() OVER (PARTITION BY workspace, link, d, visitor ORDER BY time, n) AS of_link,
        row_number() OVER (PARTITION BY workspace, d, visitor ORDER BY time, n) AS of_workspace
      FROM (
        SELECT workspace, link, CAST((time - time % ${DAY_MS}) / ${DAY_MS} AS BIGINT) AS d, kind, visitor, time, n
        FROM ${source} WHERE ${condition}
      ) old_clicks
    ) numbered_clicks
    GROUP BY 1, 2, 3, 4`
}
