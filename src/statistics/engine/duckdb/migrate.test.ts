import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { stateOf } from '../../process/store-state.ts'
import type { ClickMigration } from '../shared/migrations.ts'
import { openDuckDb } from './database.ts'
import { migrateDuckDb } from './migrate.ts'
import { CLICK_TYPES, DUCKDB_MIGRATIONS } from './schema.ts'
import type { Connection, DuckDb } from './types.ts'

const NEWEST = DUCKDB_MIGRATIONS.at(-1)?.version ?? 0
const CLICKS = 1_000

let directory: string
let file: string
let database: DuckDb | undefined

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'slugline-duckdb-'))
  file = join(directory, 'statistics.duckdb')
})
afterEach(() => {
  database?.close()
  database = undefined
  rmSync(directory, { recursive: true, force: true })
})

/** Runs statements on the file as another program would. */
async function direct(...statements: readonly string[]): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  try {
    let rows: unknown[][] = []
    for (const statement of statements) {
      rows = (await connection.runAndReadAll(statement)).getRows()
    }
    return rows
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** A file as the first version with schema 3 made it: without sums, and without an instance's id. */
function makeThird(): Promise<unknown[][]> {
  const columns = Object.entries(CLICK_TYPES).map(([name, type]) => `${name} ${type}`)
  return direct(
    `CREATE TABLE clicks (${columns.join(', ')})`,
    `CREATE TABLE daily (workspace INTEGER, link BIGINT, day BIGINT, kind UTINYINT, clicks BIGINT,
      uniques BIGINT, workspace_uniques BIGINT)`,
    'CREATE TABLE closed_months (month BIGINT)',
    'CREATE TABLE state (version INTEGER, segment BIGINT, "offset" BIGINT, batches BIGINT, newest BIGINT, since BIGINT)',
    'INSERT INTO state VALUES (3, 7, 11, 2, 1700000000000, 0)',
    `INSERT INTO clicks (workspace, link, time, n, kind, qr, domain)
      SELECT 1, 4294967297, 1700000000000 + range, range, 0, false, 0 FROM range(${CLICKS})`,
    'CHECKPOINT',
  )
}

const versionOf = async () => Number((await direct('SELECT version FROM state'))[0]?.[0])

async function migrate(options: Parameters<typeof migrateDuckDb>[1] = {}): Promise<void> {
  database = await openDuckDb(file)
  try {
    await migrateDuckDb(database, options)
  } finally {
    database.close()
    database = undefined
  }
}

/** A migration in three parts, of which some fail. */
function inParts(isCut: (part: number) => boolean): ClickMigration<Connection> {
  let part = 0
  return {
    version: NEWEST + 1,
    async up(connection) {
      await connection.run('CREATE TABLE IF NOT EXISTS parts (part INTEGER)')
      await connection.run('INSERT INTO parts SELECT count(*) FROM parts')
      if (isCut(part++)) throw new Error('cut')
      const [row] = await connection.run('SELECT count(*) FROM parts')
      return Number(row?.[0]) < 3
    },
  }
}

describe('the statistics file', () => {
  test('of the schema before keeps its clicks and gets the tables it lacks, once', async () => {
    await makeThird()
    let began = 0
    await migrate({ began: () => began++ })
    expect(began).toBe(1)
    expect(await versionOf()).toBe(NEWEST)
    const [row] = await direct(
      `SELECT (SELECT count(*) FROM clicks), (SELECT count(*) FROM click_sums),
        (SELECT count(*) FROM summed_days), (SELECT segment FROM state)`,
    )
    expect(row?.map(Number)).toEqual([CLICKS, 0, 0, 7])
    await migrate({ began: () => began++ })
    expect(began).toBe(1)
  })

  test('has the tables of a new one after all migrations', async () => {
    const tables = () =>
      direct('SELECT table_name, column_name, data_type FROM duckdb_columns() ORDER BY ALL')
    await makeThird()
    await direct('ALTER TABLE state ADD COLUMN instance VARCHAR')
    await migrate()
    const migrated = await tables()
    rmSync(file)
    await migrate()
    expect(await tables()).toEqual(migrated)
  })

  test('goes on with a migration that was interrupted', async () => {
    await migrate()
    const migrations = [...DUCKDB_MIGRATIONS, inParts((part) => part === 2)]
    await expect(migrate({ migrations })).rejects.toThrow('cut')
    expect(await versionOf()).toBe(NEWEST)
    expect(await direct('SELECT part FROM parts ORDER BY part')).toEqual([[0], [1]])
    await migrate({ migrations: [...DUCKDB_MIGRATIONS, inParts(() => false)] })
    expect(await direct('SELECT part FROM parts ORDER BY part')).toEqual([[0], [1], [2]])
    expect(await versionOf()).toBe(NEWEST + 1)
  })

  test.each([true, false])(
    'of a newer schema is refused, and stays as it is (read only: %p)',
    async (readonly) => {
      await migrate()
      await direct(`UPDATE state SET version = ${NEWEST + 1}`, 'CHECKPOINT')
      const before = readFileSync(file)
      const error = await openDuckDb(file, { readonly }).catch((it) => it)
      expect(error).toMatchObject({ name: 'OperatorError', code: 'DATA_NEWER' })
      expect(error.message).toMatch(new RegExp(`\\b${NEWEST + 1}\\b.*\\b${NEWEST}\\b`))
      expect(stateOf(error)).toBe('newer')
      expect(readFileSync(file).equals(before)).toBe(true)
    },
  )

  test('of an older schema can be read, and stays as it is', async () => {
    await makeThird()
    const before = readFileSync(file)
    database = await openDuckDb(file, { readonly: true })
    const connection = await database.connect()
    expect(await connection.run('SELECT count(*) FROM clicks')).toEqual([[BigInt(CLICKS)]])
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})
