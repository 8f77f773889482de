import type { StatisticsConnection } from '../../store/duckdb.ts'
import { TIME_SQL } from '../../store/schema.ts'
import type { Selection } from '../../types.ts'
import { readRows } from '../lane/index.ts'
import { raw, sql } from '../sql/index.ts'
import { ofLinks } from '../sql/where.ts'

/** The selection without what will be stored from now on. */
export async function storedNow(
  connection: StatisticsConnection,
  selection: Selection,
  signal: AbortSignal,
): Promise<Selection> {
  const [row] = await readRows(
    connection,
    sql`SELECT max(${raw(TIME_SQL)}) FROM clicks WHERE ${ofLinks(selection)}`,
    signal,
  )
  const end = row?.[0] == null ? selection.from : Number(row[0]) + 1
  return { ...selection, to: Math.min(selection.to, Math.max(selection.from, end)) }
}
