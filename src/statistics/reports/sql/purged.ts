import type { Dimension, Selection } from '../../types.ts'
import { integer, join, raw, type Sql, sql } from './index.ts'
import { fits, ofLinks } from './where.ts'

const DAY_MS = 86_400_000
/** Of a purged click only the UTC day is known: it counts as one at noon, which has the same date
 * in most zones. */
const NOON_MS = DAY_MS / 2

/** What is known of a purged click besides its day. */
const KNOWN: ReadonlySet<Dimension> = new Set(['link', 'kind'])

/** When the clicks of a purged day were. */
export function momentOf(day: number): number {
  return day * DAY_MS + NOON_MS
}

/**
 * Numbers of a selection's purged clicks, by day and (`group`) by link or kind: rows of `day,
 * value, clicks, bots, uniques`. Null when a filter asks for what isn't known of them.
 */
export function purgedClicks(selection: Selection, group: Dimension | null): Sql | null {
  const { filters, linkSeq, linkSeqs, from, to, bots } = selection
  if (filters.some(({ dimension }) => !KNOWN.has(dimension))) return null
  // Whether visitors of several links were the same is only known of all links together.
  const someLinks =
    linkSeq !== null ||
    linkSeqs !== null ||
    group === 'link' ||
    filters.some(({ dimension }) => dimension === 'link')
  const meant = { exclude: 'kind = 0', only: 'kind <> 0', include: 'TRUE' }[bots]
  const value = raw(group !== null && KNOWN.has(group) ? group : 'NULL')
  const uniques = raw(someLinks ? 'uniques' : 'workspace_uniques')
  const where = join(
    [
      ofLinks(selection),
      sql`day >= ${integer(Math.ceil((from - NOON_MS) / DAY_MS))}`,
      sql`day < ${integer(Math.ceil((to - NOON_MS) / DAY_MS))}`,
      ...filters.map((filter) => fits(filter, [])),
    ],
    ' AND ',
  )
  return sql`SELECT day, ${value} AS value, sum(clicks) AS clicks,
    coalesce(sum(clicks) FILTER (kind <> 0), 0) AS bots,
    coalesce(sum(${uniques}) FILTER (${raw(meant)}), 0) AS uniques
    FROM daily WHERE ${where} GROUP BY 1, 2`
}
