import type { StatisticsConnection } from '../../store/duckdb.ts'
import { SLOT_MS } from '../../store/schema.ts'
import type { Selection } from '../../types.ts'
import { readRows } from '../lane/index.ts'
import { sql } from '../sql/index.ts'
import { meant } from '../sql/source.ts'

/** Consecutive ranges of time with about as many clicks as are put in order at once; one at least. */
export async function partsOf(
  connection: StatisticsConnection,
  selection: Selection,
  clicksPerPart: number,
  signal: AbortSignal,
): Promise<Selection[]> {
  const slots = await readRows(
    connection,
    sql`SELECT slot, count(*) FROM clicks WHERE ${meant(selection)} GROUP BY slot ORDER BY slot`,
    signal,
  )
  const parts: Selection[] = []
  let from = selection.from
  let gathered = 0
  for (const [slot, count] of slots) {
    const start = Number(slot) * SLOT_MS
    if (gathered > 0 && gathered + Number(count) > clicksPerPart && start > from) {
      parts.push({ ...selection, from, to: start })
      from = start
      gathered = 0
    }
    gathered += Number(count)
  }
  parts.push({ ...selection, from })
  return parts
}
