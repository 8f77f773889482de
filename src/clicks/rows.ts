import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../storage/index.ts'

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
