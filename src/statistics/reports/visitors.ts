import type { Asking } from './lane.ts'
import { raw, type Sql, sql } from './sql.ts'
import { DAY } from './where.ts'

/** Whose visitors are counted. */
export interface Counted {
  /** Clicks with a visitor. */
  which: Sql
  /** Instead of all clicks. */
  from?: Sql
  /** A value that they are counted apart by, and something true or false. */
  group?: Sql
  apart?: Sql
}

/**
 * Counts different visitors, each once per UTC day and group. Visitors of a day that stands still
 * are numbered (see `store/steady.ts`), so that 64 of them share a group and are bits of one number: half of
 * what telling them apart one by one costs. A hash has a group for itself.
 */
export async function differentVisitors(
  asking: Asking,
  { which, from = raw('clicks'), group = raw('NULL'), apart = raw('FALSE') }: Counted,
): Promise<{ value: unknown; apart: boolean; visitors: number }[]> {
  const rows = await asking.rows(
    sql`SELECT value, apart, sum(bit_count(visitors)) FROM (
        SELECT ${group} AS value, ${apart} AS apart, ${DAY} AS day, visitor >> 6 AS place,
          bit_or(1::UBIGINT << (visitor & 63)) AS visitors
        FROM ${from} WHERE ${which} GROUP BY ALL
      ) GROUP BY ALL`,
  )
  return rows.map(([value, apart, visitors]) => ({
    value,
    apart: apart === true,
    visitors: Number(visitors),
  }))
}
