import { SLOTS_PER_DAY } from '../../store/schema.ts'
import type { Asking } from '../lane/index.ts'
import { bigint, integer, numbers, raw, sql } from '../sql/index.ts'

/** People's clicks per UTC day for each of these links, from `firstDay` (days since the epoch) on. */
export async function daily(
  asking: Asking,
  linkSeqs: readonly number[],
  firstDay: number,
  days: number,
): Promise<Map<number, number[]>> {
  const found = new Map(linkSeqs.map((seq) => [seq, new Array<number>(days).fill(0)]))
  if (linkSeqs.length === 0) return found
  const links = sql`link >= ${bigint(Math.min(...linkSeqs))} AND link <= ${bigint(Math.max(...linkSeqs))}
    AND link IN ${numbers(linkSeqs)}`
  const perDay = raw(String(SLOTS_PER_DAY))
  const rows = await asking.rows(
    sql`SELECT link, slot // ${perDay}, count(*) FROM clicks
      WHERE slot >= ${integer(firstDay * SLOTS_PER_DAY)}
        AND slot < ${integer((firstDay + days) * SLOTS_PER_DAY)}
        AND ${links} AND kind = 0 GROUP BY 1, 2
      UNION ALL SELECT link, day, sum(clicks) FROM daily
      WHERE day >= ${integer(firstDay)} AND day < ${integer(firstDay + days)}
        AND ${links} AND kind = 0 GROUP BY 1, 2`,
  )
  for (const [link, day, clicks] of rows) {
    const counts = found.get(Number(link))
    const at = Number(day) - firstDay
    if (counts !== undefined) counts[at] = (counts[at] ?? 0) + Number(clicks)
  }
  return found
}
