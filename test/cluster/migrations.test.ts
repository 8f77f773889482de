/** Migrations of PostgreSQL while others work on it: nodes, transactions, another version. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { Client } from 'pg'
import {
  POSTGRES_MIGRATIONS,
  type PostgresMigration,
} from '../../src/platform/storage/migrations/index.ts'
import {
  migratePostgres,
  postgresMigrationStates,
} from '../../src/platform/storage/postgres/migrate.ts'
import { eventually } from '../harness/eventually.ts'
import { pgbouncerMissing, startPgBouncer } from '../harness/pgbouncer.ts'
import { postgresMissing, sharedPostgres, type TestPostgres } from '../harness/postgres.ts'

const title = `migrations${postgresMissing === undefined ? '' : ` (${postgresMissing})`}`

const statement = (text: string): PostgresMigration => ({
  up: async (db) => void (await sql.raw(text).execute(db)),
})
const FIRST = { '0001-numbers': statement('CREATE TABLE numbers (n INT PRIMARY KEY, square INT)') }

let server: TestPostgres
beforeAll(async () => {
  if (postgresMissing === undefined) server = await sharedPostgres()
})

describe.skipIf(postgresMissing !== undefined)(title, () => {
  const empty = () => server.createDatabase({ empty: true })

  async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
    return server.admin(text, new URL(url).pathname.slice(1))
  }

  test('name only existing migrations as required by nodes', () => {
    const names = Object.keys(POSTGRES_MIGRATIONS)
    expect(names).toEqual(names.toSorted())
    for (const [name, { oldestNode }] of Object.entries(POSTGRES_MIGRATIONS)) {
      if (oldestNode === undefined) continue
      expect(names).toContain(oldestNode)
      expect(oldestNode <= name).toBe(true)
    }
  })

  test('are applied once; concurrent starts wait and continue', async () => {
    const url = await empty()
    const begun = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    let applied = 0
    const migrations = {
      ...FIRST,
      '0002-slow': {
        async up() {
          applied++
          begun.resolve()
          await go.promise
        },
      },
      '0003-more': statement('CREATE TABLE more (n INT)'),
    }
    const first = migratePostgres(url, migrations)
    await begun.promise
    const second = migratePostgres(url, migrations)
    await eventually('the second one waits', async () => {
      const waiting = await query(
        url,
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
      )
      return waiting.length === 1 ? true : undefined
    })
    go.resolve()
    const names = [...(await first), ...(await second)]
    expect(names.toSorted()).toEqual(Object.keys(migrations))
    expect(applied).toBe(1)
    const states = await postgresMigrationStates(url, migrations)
    expect(states.every(({ applied_at }) => applied_at !== null)).toBe(true)
  })

  test('a failed one keeps earlier ones, and is retried', async () => {
    const url = await empty()
    const bad = { ...FIRST, '0002-bad': statement('CREATE TABLE half (n INT); SELECT 1 / 0') }
    await expect(migratePostgres(url, bad)).rejects.toMatchObject({ name: 'RefusedStatement' })
    const good = { ...FIRST, '0002-bad': statement('CREATE TABLE half (n INT)') }
    expect(await migratePostgres(url, good)).toEqual(['0002-bad'])
  })

  test('in batches: each is committed, and an interrupted one continues', async () => {
    const url = await empty()
    await migratePostgres(url, FIRST)
    await query(url, 'INSERT INTO numbers SELECT i FROM generate_series(1, 10) i')
    const sizes: number[] = []
    let killed = false
    async function batch(db: Kysely<never>): Promise<boolean> {
      const { rows } = await sql`UPDATE numbers SET square = n * n WHERE n IN
        (SELECT n FROM numbers WHERE square IS NULL LIMIT 3) RETURNING n`.execute(db)
      if (sizes.length === 2 && !killed) {
        killed = true
        throw new Error('killed')
      }
      sizes.push(rows.length)
      return rows.length > 0
    }
    const migrations = { ...FIRST, '0002-squares': { batch } }
    await expect(migratePostgres(url, migrations)).rejects.toThrow('killed')
    expect(await query(url, 'SELECT 1 FROM numbers WHERE square IS NULL')).toHaveLength(4)
    const [, waiting] = await postgresMigrationStates(url, migrations)
    expect(waiting?.applied_at).toBeNull()
    expect(await migratePostgres(url, migrations)).toEqual(['0002-squares'])
    expect(sizes).toEqual([3, 3, 3, 1, 0])
    expect(await migratePostgres(url, migrations)).toEqual([])
  })

  test('a table in use is waited for in short intervals: others get it in between', async () => {
    const url = await empty()
    await migratePostgres(url, FIRST)
    const user = new Client({ connectionString: url })
    await user.connect()
    await user.query('BEGIN; SELECT * FROM numbers')
    const column = statement('ALTER TABLE numbers ADD COLUMN cube INT')
    const migrating = migratePostgres(url, { ...FIRST, '0002-column': column })
    await eventually('the migration waits', async () => {
      const waiting = await query(
        url,
        "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted",
      )
      return waiting.length > 0 ? true : undefined
    })
    // It would wait for the migration, and the migration for `user`, which doesn't end.
    await query(url, "SET statement_timeout = '8s'; INSERT INTO numbers VALUES (1, 1)")
    await user.query('COMMIT')
    await user.end()
    expect(await migrating).toEqual(['0002-column'])
  })

  test('are refused on tables from before the baseline, which stay unchanged', async () => {
    const url = await empty()
    await migratePostgres(url, { '0001-core': statement('CREATE TABLE old (n INT)') })
    await expect(migratePostgres(url)).rejects.toMatchObject({ code: 'DATA_OLD' })
    await expect(postgresMigrationStates(url)).rejects.toMatchObject({ code: 'DATA_OLD' })
    const tables = await query(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")
    expect(tables).toHaveLength(2)
  })

  test('an older version keeps working, unless a newer one has declared that it can’t', async () => {
    const url = await empty()
    const two = { ...FIRST, '0002-more': statement('CREATE TABLE more (n INT)') }
    const three = { ...two, '0003-less': statement('DROP TABLE more') }
    await migratePostgres(url, two)
    expect(await migratePostgres(url, FIRST)).toEqual([])
    const names = (await postgresMigrationStates(url, FIRST)).map(({ name }) => name)
    expect(names).toEqual(Object.keys(two))
    const dropping = { ...three['0003-less'], oldestNode: '0002-more' }
    await migratePostgres(url, { ...two, '0003-less': dropping })
    expect(await migratePostgres(url, two)).toEqual([])
    await expect(migratePostgres(url, FIRST)).rejects.toMatchObject({
      code: 'DATA_NEWER',
      message: expect.stringContaining('0003-less'),
    })
  })

  test.skipIf(pgbouncerMissing !== undefined)(
    `work through PgBouncer in transaction mode, and leave no lock${pgbouncerMissing ? ` (${pgbouncerMissing})` : ''}`,
    async () => {
      const url = await empty()
      const pgbouncer = await startPgBouncer(url)
      try {
        for (let round = 0; round < 3; round++) {
          const applied = await Promise.all([1, 2, 3].map(() => migratePostgres(pgbouncer.url)))
          expect(applied.flat()).toHaveLength(
            round === 0 ? Object.keys(POSTGRES_MIGRATIONS).length : 0,
          )
        }
        const locks = await query(url, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory'")
        expect(locks).toHaveLength(0)
      } finally {
        await pgbouncer.dispose()
      }
    },
  )
})
