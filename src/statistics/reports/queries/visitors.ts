import type { Asking } from '../lane/index.ts'
import { raw, type Sql, sql } from '../sql/index.ts'
import { DAY } from '../sql/where.ts'

/** Whose visitors are counted. */
export interface Counted {
  /** Clicks with a visitor. */
  which: Sql
  /** A value that they are counted apart by. */
  group?: Sql
}

/**
 * Counts different visitors, each once per UTC day and group. Visitors of a day that stands still
 * are numbered (see `store/steady.ts`), so that 64 of them share a group and are bits of one number: half of
 * what telling them apart one by one costs. A hash has a group for itself.
 */
export async function differentVisitors(
  asking: Asking,
  { which, group }: Counted,
): Promise<{ value: unknown; visitors: number }[]> {
  // Each column that groups are made by takes its time, one that is always the same, too.
  const apart = group === undefined || group === DAY ? raw('') : sql`${group} AS value, `
  const value = raw(group === undefined ? 'NULL' : group === DAY ? 'day' : 'value')
  const rows = await asking.rows(
    sql`SELECT ${value}, sum(bit_count(visitors)) FROM (
        SELECT ${apart}${DAY} AS day, visitor >> 6 AS place,
          bit_or(1::UBIGINT << (visitor & 63)) AS visitors
        FROM clicks WHERE ${which} GROUP BY ALL
      ) GROUP BY ALL`,
  )
  return rows.map(([value, visitors]) => ({ value, visitors: Number(visitors) }))
}
