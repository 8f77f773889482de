import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../../test/harness/clickhouse.ts'
import { postgresMissing, sharedPostgres } from '../../../../test/harness/postgres.ts'
import { withClicksLock } from '../../../platform/storage/index.ts'
import { TEXT_COLUMNS } from '../../columns.ts'
import { type ClickHouse, openClickHouse } from './client.ts'
import { migrateClickHouse, missingIn } from './migrate.ts'
import { assertOwnClicks } from './owner.ts'
import { dialect } from './reports.ts'
import { CLICKHOUSE_MIGRATIONS, type ClickHouseMigration } from './schema.ts'

const NEWEST = CLICKHOUSE_MIGRATIONS.at(-1)?.version ?? 0
/** As the version without sums and numbers of migrations made them. */
const EARLIER = [
  `CREATE TABLE clicks (workspace Int32, link Int64, time Int64, n Int64, visitor Nullable(Int64),
    kind UInt8, qr Bool, domain Int32,
    ${TEXT_COLUMNS.map((name) => `${name} LowCardinality(Nullable(String))`).join(', ')})
    ENGINE = MergeTree ORDER BY (workspace, link, time)`,
  `CREATE TABLE daily (workspace Int32, link Int64, day Int64, kind UInt8, clicks UInt64,
    uniques UInt64, workspace_uniques UInt64) ENGINE = ReplacingMergeTree ORDER BY (workspace, link, day, kind)`,
  `CREATE TABLE purged (workspace Int32, before SimpleAggregateFunction(max, Int64))
    ENGINE = AggregatingMergeTree ORDER BY workspace`,
  'CREATE TABLE instance (id String) ENGINE = MergeTree ORDER BY id',
  'INSERT INTO clicks (workspace, link, time, n) SELECT 1, 4294967297, 1700000000000, 1',
]

describe.skipIf(!hasClickHouse)('tables in ClickHouse', () => {
  let server: Server
  const opened: ClickHouse[] = []

  beforeAll(async () => {
    server = await startClickHouse()
  })
  afterAll(async () => {
    for (const each of opened) await each.close()
    await server?.stop()
  })

  const open = (name: string): ClickHouse => {
    const clickHouse = openClickHouse(server.url(name))
    opened.push(clickHouse)
    return clickHouse
  }

  const tablesOf = async (clickHouse: ClickHouse) =>
    (
      await clickHouse.rows(
        'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
      )
    ).flat()

  /** A next version's migration, in two parts; the second one waits. */
  function next(go: Promise<void>, began: () => void = () => {}): ClickHouseMigration {
    return {
      version: NEWEST + 1,
      async up(clickHouse) {
        const [row] = await clickHouse.rows(
          "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = 'part'",
        )
        if (Number(row?.[0]) === 0) {
          await clickHouse.command('CREATE TABLE part (n Int64) ENGINE = MergeTree ORDER BY n')
          return true
        }
        began()
        await go
        await clickHouse.command('ALTER TABLE part ADD COLUMN IF NOT EXISTS more Int64')
        return false
      },
    }
  }

  test('are created once, in a database that may not exist', async () => {
    const clickHouse = open('created')
    for (let start = 0; start < 2; start++) await migrateClickHouse(clickHouse)
    expect(await tablesOf(clickHouse)).toEqual([
      'click_sums',
      'clicks',
      'daily',
      'instance',
      'migrations',
      'purged',
      'summed_days',
    ])
  })

  test('of a form from before the first release are refused', async () => {
    const clickHouse = open('old')
    await clickHouse.createDatabase()
    await clickHouse.command(
      'CREATE TABLE clicks (workspace UInt32, link UInt32, time Int64) ENGINE = MergeTree ORDER BY link',
    )
    await expect(migrateClickHouse(clickHouse)).rejects.toMatchObject({ code: 'DATA_OLD' })
  })

  test('of the schema before keep their clicks and get the tables they lack, once', async () => {
    const clickHouse = open('earlier')
    await clickHouse.createDatabase()
    for (const statement of EARLIER) await clickHouse.command(statement)
    let began = 0
    for (let start = 0; start < 2; start++) {
      await migrateClickHouse(clickHouse, { began: () => began++ })
    }
    expect(began).toBe(1)
    expect(await clickHouse.rows('SELECT n FROM clicks')).toEqual([['1']])
    expect(await clickHouse.rows('SELECT count() FROM summed_days')).toEqual([['0']])
    expect(await missingIn(clickHouse)).toEqual([])
  })

  test('of a version with fewer sums have their days summed again', async () => {
    const clickHouse = open('fewer')
    await migrateClickHouse(clickHouse, { migrations: CLICKHOUSE_MIGRATIONS.slice(0, 2) })
    await clickHouse.command(
      'INSERT INTO summed_days (workspace, day, clicks, version) SELECT 1, 2, 3, 4',
    )
    await migrateClickHouse(clickHouse)
    expect(await clickHouse.rows(`SELECT clicks FROM ${dialect.table('summed_days', 1)}`)).toEqual([
      ['-1'],
    ])
  })

  test('go on with a migration that was interrupted', async () => {
    const clickHouse = open('interrupted')
    const failing = Promise.reject(new Error('cut'))
    failing.catch(() => {})
    const migrations = [...CLICKHOUSE_MIGRATIONS, next(failing)]
    await expect(migrateClickHouse(clickHouse, { migrations })).rejects.toThrow('cut')
    expect(await missingIn(clickHouse, migrations)).toHaveLength(1)
    const again = [...CLICKHOUSE_MIGRATIONS, next(Promise.resolve())]
    await migrateClickHouse(clickHouse, { migrations: again })
    expect(await missingIn(clickHouse, again)).toEqual([])
    expect(await clickHouse.rows('SELECT more FROM part')).toEqual([])
  })

  test('of a newer version are refused, before anything is changed', async () => {
    const clickHouse = open('newer')
    const newer = [...CLICKHOUSE_MIGRATIONS, next(Promise.resolve())]
    await migrateClickHouse(clickHouse, { migrations: newer })
    const error = await migrateClickHouse(clickHouse).catch((it) => it)
    expect(error).toMatchObject({ name: 'OperatorError', code: 'DATA_NEWER' })
    expect(error.message).toMatch(new RegExp(`\\b${NEWEST + 1}\\b.*\\b${NEWEST}\\b`))
    await expect(assertOwnClicks(clickHouse, null)).rejects.toMatchObject({ code: 'DATA_NEWER' })
  })

  test('of a newer version that this one can work with are used', async () => {
    const clickHouse = open('compatible')
    const expanded = { ...next(Promise.resolve()), oldest: NEWEST }
    await migrateClickHouse(clickHouse, { migrations: [...CLICKHOUSE_MIGRATIONS, expanded] })
    await migrateClickHouse(clickHouse)
    await assertOwnClicks(clickHouse, null)
  })

  test.skipIf(postgresMissing !== undefined)('are migrated by one node at a time', async () => {
    const url = await (await sharedPostgres()).createDatabase({ empty: true })
    const clickHouse = open('shared')
    const exclusively = (work: Parameters<typeof withClicksLock>[1]) => withClicksLock(url, work)
    const [go, waits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const migrations = [...CLICKHOUSE_MIGRATIONS, next(go.promise, waits.resolve)]
    const first = migrateClickHouse(clickHouse, { migrations, exclusively })
    await waits.promise
    const second = () => migrateClickHouse(clickHouse, { migrations, exclusively })
    await expect(second()).rejects.toMatchObject({
      code: 'STATISTICS_MIGRATING',
    })
    go.resolve()
    await first
    await second()
    expect(
      await clickHouse.rows('SELECT version, oldest FROM migrations ORDER BY version'),
    ).toEqual(migrations.map(({ version, oldest = version }) => [String(version), String(oldest)]))
  })
})
