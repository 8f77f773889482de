import { sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import type { LinkNumbers } from '../process/wire.ts'
import { type Part, VISITOR, whole } from './where.ts'

/** Links of one query. */
const LINKS_AT_ONCE = 1_000

interface Row {
  link_seq: number
  human: number
  bot: number
  uniques: number
  last: number
}

/** Numbers of links, first ≤ `seq` < end, by their clicks and what is left of purged ones. */
export async function* linkNumbers(
  { reports }: Pick<Storage, 'reports'>,
  [first, end]: readonly [number, number],
  signal?: AbortSignal,
): AsyncGenerator<LinkNumbers, undefined> {
  const ask = async (query: Part) => (await query.execute(reports.db)).rows as Row[]
  for (let from = first; ; ) {
    signal?.throwIfAborted()
    // Clicks and days in one query: a day that is purged meanwhile is in one of them.
    const rows = await ask(sql`
      WITH page AS MATERIALIZED (${linksFrom(from, end)})
      SELECT link_seq, sum(human) AS human, sum(bot) AS bot, sum(uniques) AS uniques,
        max(last) AS last
      FROM (
        SELECT link_seq, count(*) FILTER (WHERE kind = 0) AS human,
          count(*) FILTER (WHERE kind <> 0) AS bot,
          count(DISTINCT ${VISITOR}) FILTER (WHERE kind = 0) AS uniques, max(time) AS last
        FROM clicks JOIN page USING (link_seq) GROUP BY link_seq
        UNION ALL
        SELECT link_seq, sum(clicks) FILTER (WHERE kind = 0), sum(clicks) FILTER (WHERE kind <> 0),
          sum(uniques) FILTER (WHERE kind = 0), 0
        FROM click_days JOIN page USING (link_seq) GROUP BY link_seq
      ) parts GROUP BY link_seq ORDER BY link_seq`)
    for (const { link_seq, human, bot, uniques, last } of rows) {
      yield [link_seq, human ?? 0, bot ?? 0, uniques ?? 0, last]
    }
    const newest = rows.at(-1)?.link_seq
    if (newest === undefined || rows.length < LINKS_AT_ONCE) return undefined
    from = newest + 1
  }
}

/** The next links that have clicks or had them: each found in the indexes behind the one before. */
function linksFrom(from: number, end: number): Part {
  const next = (table: string, behind: Part) => sql`(SELECT link_seq FROM ${sql.raw(table)}
    WHERE ${behind} AND link_seq < ${whole(end)} ORDER BY link_seq LIMIT 1)`
  const least = (behind: Part) =>
    sql`least(${next('clicks', behind)}, ${next('click_days', behind)})`
  return sql`WITH RECURSIVE links AS (
      SELECT ${least(sql`link_seq >= ${whole(from)}`)} AS seq
      UNION ALL
      SELECT ${least(sql`link_seq > links.seq`)} FROM links WHERE links.seq IS NOT NULL
    )
    SELECT seq AS link_seq FROM links WHERE seq IS NOT NULL LIMIT ${whole(LINKS_AT_ONCE)}`
}
