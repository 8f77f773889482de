import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import pg from 'pg'
import {
  type Dialect,
  databaseFiles,
  migrate,
  openEmbedded,
  openPostgres,
  type Storage,
} from '../index.ts'

/**
 * Where the tests of `test/contract` run the tests of the stores once more: a PostgreSQL server's
 * address up to its database's name, with a database `migrated` to be copied.
 */
const server = Bun.env.TEST_POSTGRES

/** Which database the tests are for. */
export const testDialect: Dialect = server === undefined ? 'sqlite' : 'postgres'

const databases = new Map<string, Promise<string>>()

/** A migrated database that belongs to a directory: opened again, it is the same one. */
export async function openTestStorage(dir: string): Promise<Storage> {
  if (server !== undefined) return openPostgres({ url: await testDatabaseUrl(dir) })
  if (!existsSync(databaseFiles(dir).main)) await migrate(dir)
  return openEmbedded(dir)
}

/** The address of the PostgreSQL database that belongs to a directory. */
export function testDatabaseUrl(dir: string): Promise<string> {
  let url = databases.get(dir)
  if (url === undefined) {
    url = copy()
    databases.set(dir, url)
  }
  return url
}

async function copy(): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: `${server}postgres` })
  await client.connect()
  await client.query(`CREATE DATABASE ${name} TEMPLATE migrated STRATEGY file_copy`)
  await client.end()
  return `${server}${name}`
}

/** Runs one statement (`?` for parameters) on the click worker's tables, as that does. */
export async function writeCounters(
  dir: string,
  statements: readonly [text: string, ...values: (number | null)[]][],
): Promise<void> {
  if (server === undefined) {
    const counters = new Database(databaseFiles(dir).counters)
    counters.run('BEGIN')
    for (const [text, ...values] of statements) counters.run(text, values)
    counters.run('COMMIT')
    counters.close()
    return
  }
  const client = new pg.Client({ connectionString: await testDatabaseUrl(dir) })
  await client.connect()
  await client.query('BEGIN')
  for (const [text, ...values] of statements) {
    let n = 0
    await client.query(
      text.replaceAll('?', () => `$${++n}`),
      values,
    )
  }
  await client.query('COMMIT')
  await client.end()
}
