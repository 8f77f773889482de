import { Database } from 'bun:sqlite'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { sharedPostgres } from '../../../../test/harness/postgres.ts'
import {
  type Dialect,
  databaseFiles,
  migrate,
  openEmbedded,
  openPostgres,
  type Storage,
} from '../index.ts'

const isEmbedded = (Bun.env.TEST_STORE ?? 'embedded') === 'embedded'

/** The database of the tests, by `TEST_STORE` (see `test/harness/store.ts`). */
export const testDialect: Dialect = isEmbedded ? 'sqlite' : 'postgres'

const databases = new Map<string, Promise<string>>()

/** The migrated database of a directory: opening it again yields the same one. */
export async function openTestStorage(dir: string): Promise<Storage> {
  if (!isEmbedded) return openPostgres({ url: await testDatabaseUrl(dir) })
  if (!existsSync(databaseFiles(dir).main)) await copyMigrated(dir)
  return openEmbedded(dir)
}

type Files = Record<'main' | 'counters', Uint8Array>
let template: Promise<Files> | undefined

/** Creates what `migrate` creates in an empty directory, at a fraction of its cost. */
export async function copyMigrated(dir: string): Promise<void> {
  template ??= makeTemplate()
  const { main, counters } = await template
  const files = databaseFiles(dir)
  writeFileSync(files.main, main)
  writeFileSync(files.counters, counters)
}

/** The files of a directory that is migrated once per process. */
async function makeTemplate(): Promise<Files> {
  const dir = mkdtempSync(join(tmpdir(), 'slugline-template-'))
  try {
    await migrate(dir)
    const { main, counters } = databaseFiles(dir)
    return { main: readFileSync(main), counters: readFileSync(counters) }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The URL of a directory's PostgreSQL database. */
function testDatabaseUrl(dir: string): Promise<string> {
  let url = databases.get(dir)
  if (url === undefined) {
    url = copy()
    databases.set(dir, url)
  }
  return url
}

async function copy(): Promise<string> {
  return (await sharedPostgres()).createDatabase()
}

/** Runs a statement (`?` for parameters) on the click worker's tables, like the worker does. */
export async function writeCounters(
  dir: string,
  statements: readonly [text: string, ...values: (number | null)[]][],
): Promise<void> {
  if (isEmbedded) {
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
