import { SLOT_MS, SLOTS_PER_DAY } from '../store/schema.ts'
import type { Selection } from '../types.ts'
import type { Asking } from './lane.ts'
import { raw, type Sql, sql } from './sql.ts'

const DAY_MS = SLOT_MS * SLOTS_PER_DAY
const DAY = raw(`(slot // ${SLOTS_PER_DAY})`)
/** Numbers of a day's visitors are below this, and hashes of visitors practically never. */
const NUMBERS_BELOW = 16_777_216
/** Bytes of all bitmaps of a question. */
const BITMAPS_AT_MOST = 64 * 1024 * 1024

/** A visitor, for COUNT(DISTINCT): their hash or their number, which are of one workspace and day. */
const VISITOR = raw(`xor(visitor, ${DAY.text}::UBIGINT << 40)`)

/** Whose visitors are counted. */
interface Counted {
  /** Clicks with a visitor. */
  which: Sql
  /** A value that they are counted apart by, and how many of those a day has, about. */
  group?: Sql
  groups?: number
  /** Days of the selection that have none of these clicks. */
  without?: number
}

/**
 * Counts different visitors, each once per UTC day and group. Those that the store has numbered
 * within their day (see `store/steady.ts`) are set in a bitmap for each day and group: a third of
 * what telling hashes apart costs.
 */
export async function differentVisitors(
  asking: Asking,
  { from, to }: Selection,
  { which, group = raw('NULL'), groups = 1, without = 0 }: Counted,
): Promise<{ value: unknown; visitors: number }[]> {
  const numbered = await asking.numbered()
  const days = Math.ceil((to - from) / DAY_MS) + 1 - without
  const bitmaps = numbered > 0 && (numbered / 8) * days * groups <= BITMAPS_AT_MOST
  const rows = await asking.rows(
    bitmaps
      ? sql`SELECT value, sum(visitors) FROM (
          SELECT ${DAY} AS day, ${group} AS value,
            bit_count(bitstring_agg((visitor & ${raw(String(NUMBERS_BELOW - 1))})::UINTEGER,
              0, ${raw(String(numbered - 1))})) AS visitors
          FROM clicks WHERE visitor < ${raw(String(numbered))} AND ${which} GROUP BY 1, 2
          UNION ALL
          SELECT NULL, ${group}, count(DISTINCT ${VISITOR})
          FROM clicks WHERE visitor >= ${raw(String(numbered))} AND ${which} GROUP BY 2
        ) GROUP BY 1`
      : sql`SELECT ${group}, count(DISTINCT ${VISITOR}) FROM clicks WHERE ${which} GROUP BY 1`,
  )
  return rows.map(([value, visitors]) => ({ value, visitors: Number(visitors) }))
}

/** Above the highest number that a visitor has; 0: none has one. */
export const NUMBERED = sql`SELECT max(visitor) + 1 FROM clicks
  WHERE visitor < ${raw(String(NUMBERS_BELOW))}`
