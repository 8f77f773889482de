import { Database } from 'bun:sqlite'
import pg from 'pg'
import { databaseFiles } from '../../src/platform/storage/index.ts'
import type { Slugline } from './process.ts'

/** Without virtual tables, whose bytes are in their shadow tables. */
const SQLITE_TABLES = `SELECT name FROM sqlite_master
  WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`
const POSTGRES_TABLES = `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`
/** Counts of the requests of the last hour, and what nodes renew or trim. */
const RESTLESS_TABLES = new Set(['request_minutes', 'leases', 'nodes', 'link_changes'])
/** Of API keys: any request may change it. */
const RESTLESS_COLUMN = 'last_used_at'

/** All rows of all tables of the database, as one text per table. */
export async function allRows({ dataDir, env }: Slugline): Promise<Record<string, string>> {
  const { DATABASE_URL: url } = env
  if (url === undefined) {
    const { main, counters } = databaseFiles(dataDir)
    return { ...rowsOf(main), ...rowsOf(counters) }
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rows: Record<string, string> = {}
  for (const { name } of (await client.query<{ name: string }>(POSTGRES_TABLES)).rows) {
    if (RESTLESS_TABLES.has(name)) continue
    rows[name] = textOf((await client.query(`SELECT * FROM "${name}"`)).rows)
  }
  await client.end()
  return rows
}

function rowsOf(file: string): Record<string, string> {
  const db = new Database(file, { readonly: true })
  const tables = db.query<{ name: string }, []>(SQLITE_TABLES).all()
  const rows = tables
    .filter(({ name }) => !RESTLESS_TABLES.has(name))
    .map(({ name }) => [name, textOf(db.query(`SELECT * FROM "${name}"`).all())])
  db.close()
  return Object.fromEntries(rows)
}

function textOf(rows: readonly unknown[]): string {
  const lines = rows.map((row) =>
    JSON.stringify(row, (key, value) => (key === RESTLESS_COLUMN ? undefined : value)),
  )
  return lines.sort().join('\n')
}
