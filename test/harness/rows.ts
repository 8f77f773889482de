import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import pg from 'pg'
import type { Slugline } from './process.ts'

/** What changes without that anybody changes anything: counts of requests, and when keys were used. */
const RESTLESS = { tables: ['request_minutes'], columns: ['last_used_at'] }

/** All rows of all tables of a process's database, as one text a table. */
export async function allRows({ dataDir, env }: Slugline): Promise<Record<string, string>> {
  const { DATABASE_URL: url } = env
  return url === undefined ? ofSqlite(join(dataDir, 'slugline.db')) : ofPostgres(url)
}

function ofSqlite(file: string): Record<string, string> {
  const db = new Database(file, { readonly: true })
  try {
    const tables = db
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
    const rows = tables.map(
      ({ name }) => [name, db.query(`SELECT * FROM "${name}"`).all()] as const,
    )
    return textOf(rows)
  } finally {
    db.close()
  }
}

async function ofPostgres(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    )
    const rows: [string, unknown[]][] = []
    for (const { name } of tables.rows) {
      rows.push([name, (await client.query(`SELECT * FROM "${name}"`)).rows])
    }
    return textOf(rows)
  } finally {
    await client.end()
  }
}

function textOf(tables: readonly (readonly [string, readonly unknown[]])[]) {
  const kept = tables.filter(([name]) => !RESTLESS.tables.includes(name))
  const lines = (rows: readonly unknown[]) =>
    rows.map((row) =>
      JSON.stringify(row, (key, value) => (RESTLESS.columns.includes(key) ? undefined : value)),
    )
  return Object.fromEntries(kept.map(([name, rows]) => [name, lines(rows).sort().join('\n')]))
}
