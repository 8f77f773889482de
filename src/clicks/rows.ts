import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema, Sql } from '../platform/storage/index.ts'
import type { Position } from './segments.ts'

/** A database that expands rows from JSON. */
export interface RowsDatabase {
  readonly dialect: 'sqlite' | 'postgres'
  readonly db: Kysely<Schema>
}

/** Rows as a table with the column `value`: one parameter, whatever their number. */
export function each({ dialect }: RowsDatabase, rows: readonly unknown[][]): RawBuilder<unknown> {
  const json = JSON.stringify(rows)
  return dialect === 'sqlite' ? sql`json_each(${json})` : sql`json_array_elements(${json}::json)`
}

/** How far a node's journal is counted; a single machine is node 0. */
export async function readWatermark({ db }: Pick<Sql, 'db'>, nodeNo: number): Promise<Position> {
  const query =
    nodeNo === 0
      ? db.selectFrom('journal_watermark').select(['segment', 'offset'])
      : db.selectFrom('node_watermarks').select(['segment', 'offset']).where('node_no', '=', nodeNo)
  return (await query.executeTakeFirst()) ?? { segment: 0, offset: 0 }
}
