import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import pg from 'pg'
import { MAIN_TABLES } from '../../src/storage/migrations/baseline.ts'
import type { Slugline } from './process.ts'

/** All tables except `request_minutes`, which changes by itself. */
const TABLES = Object.keys(MAIN_TABLES).filter((name) => name !== 'request_minutes')
const RESTLESS_COLUMN = 'last_used_at'

/** All rows written by people and programs, as one text per table. */
export async function allRows({ dataDir, env }: Slugline): Promise<Record<string, string>> {
  const { DATABASE_URL: url } = env
  if (url === undefined) {
    const db = new Database(join(dataDir, 'slugline.db'), { readonly: true })
    const rows = TABLES.map((name) => textOf(name, db.query(`SELECT * FROM ${name}`).all()))
    db.close()
    return Object.fromEntries(rows)
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rows: [string, string][] = []
  for (const name of TABLES) {
    rows.push(textOf(name, (await client.query(`SELECT * FROM ${name}`)).rows))
  }
  await client.end()
  return Object.fromEntries(rows)
}

function textOf(name: string, rows: readonly unknown[]): [string, string] {
  const lines = rows.map((row) =>
    JSON.stringify(row, (key, value) => (key === RESTLESS_COLUMN ? undefined : value)),
  )
  return [name, lines.sort().join('\n')]
}
