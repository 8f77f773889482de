import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { Batch } from '../store/batch.ts'
import type { ClickHouse } from './client.ts'
import { join, type Sql, sql } from './sql.ts'

/** Clicks of a month that are looked for, on different links: some may be gone since. */
const LOOKED_FOR = 8

/** Which months' clicks of a batch are stored: true of a time in such a month. */
export async function storedMonths(
  clickHouse: ClickHouse,
  { size, link, time }: Pick<Batch, 'size' | 'link' | 'time'>,
  numbers: Float64Array,
): Promise<(time: number) => boolean> {
  const months = new Map<number, Map<number, Sql>>()
  for (let at = 0; at < size; at++) {
    const moment = time[at] as number
    const seq = link[at] as number
    const month = monthOf(moment)
    let found = months.get(month)
    if (found === undefined) {
      found = new Map()
      months.set(month, found)
    }
    if (found.size === LOOKED_FOR || found.has(seq)) continue
    found.set(
      seq,
      sql`(${Math.floor(seq / SEQS_PER_WORKSPACE)}, ${seq % SEQS_PER_WORKSPACE}, ${moment},
        ${numbers[at] as number})`,
    )
  }
  const clicks = [...months.values()].flatMap((found) => [...found.values()])
  const rows = await clickHouse.rows(
    sql`SELECT DISTINCT time FROM clicks WHERE (workspace, link, time, n) IN (${join(clicks, ', ')})`,
  )
  const done = new Set(rows.map(([moment]) => monthOf(Number(moment))))
  return (moment) => done.has(monthOf(moment))
}

/** The month of UTC, as the table is partitioned. */
function monthOf(time: number): number {
  const date = new Date(time)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
