import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../test/harness/clickhouse.ts'
import { createReports } from '../reports/index.ts'
import { LINKS, question, store as storeInFile, world } from '../reports/testing/world.ts'
import {
  openStatistics,
  type StatisticsConnection,
  type StatisticsDatabase,
} from '../store/duckdb.ts'
import type { ClickReports } from '../types.ts'
import { type ClickHouse, openClickHouse } from './client.ts'
import { createClickHouseReports } from './reports.ts'
import { migrateClickHouse } from './schema.ts'
import { store } from './testing/world.ts'

/** Some questions are about links with a tag. */
const tags = fc.constantFrom({}, {}, { tags: ['all'] }, { tags: ['some'] })

describe.skipIf(!hasClickHouse)('exports', () => {
  let server: Server
  let clickHouse: ClickHouse
  let directory: string
  let database: StatisticsDatabase
  let connection: StatisticsConnection
  let both: ClickReports[]
  const facts = {
    links: async (seqs: readonly number[]) =>
      new Map(seqs.filter((seq) => seq !== LINKS[2]).map((seq) => [seq, `lnk_${seq}`])),
    tagged: async (_: number, [first]: readonly string[]) =>
      LINKS.filter((_, i) => i > 0 || first === 'all'),
    domains: async () => new Map([[0, 'sho.rt']]),
  }

  beforeAll(async () => {
    server = await startClickHouse()
    clickHouse = openClickHouse(server.url('exports'))
    await migrateClickHouse(clickHouse)
    directory = mkdtempSync(join(tmpdir(), 'slugline-exports-'))
    database = await openStatistics(join(directory, 'statistics.duckdb'))
    connection = await database.connect()
    both = [createReports(database, { facts }), createClickHouseReports(clickHouse, { facts })]
  })
  afterAll(async () => {
    await clickHouse?.close()
    await server?.stop()
    database?.close()
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  })

  test('are those of one machine, byte for byte; Parquet value for value', async () => {
    await fc.assert(
      fc.asyncProperty(world, question, tags, async (it, asked, tagged) => {
        const selection = { ...asked.selection, ...tagged }
        const purged = await store(clickHouse, it)
        await storeInFile(connection, { ...purged, settled: [] })
        for (const format of ['csv', 'ndjson'] as const) {
          const [one, other] = await Promise.all(
            both.map(async (reports) =>
              new Response(await reports.export(selection, format)).text(),
            ),
          )
          expect(other).toBe(one as string)
        }
        const rows = await Promise.all(
          both.map(async (reports, i) => {
            const file = join(directory, `${i}.parquet`)
            await Bun.write(file, new Response(await reports.export(selection, 'parquet')))
            const types = await connection.all(`SELECT name, type, converted_type
              FROM parquet_schema('${file}') WHERE name NOT IN ('schema', 'duckdb_schema')`)
            return [
              (types as { name: string }[]).map(({ name }) => name),
              await connection.all(
                `SELECT * REPLACE (epoch_ms(clicked_at) AS clicked_at) FROM read_parquet('${file}')`,
              ),
              await connection.all(
                `SELECT DISTINCT typeof(clicked_at) FROM read_parquet('${file}')`,
              ),
            ]
          }),
        )
        expect(rows[1]?.slice(0, 2)).toEqual(rows[0]?.slice(0, 2) ?? [])
      }),
      { numRuns: 6 },
    )
  }, 120_000)

  test('end when nobody reads them any more', async () => {
    const [it] = fc.sample(world, 1)
    await store(clickHouse, it as NonNullable<typeof it>)
    const [{ selection } = { selection: null }] = fc.sample(question, 1)
    if (selection === null) return
    const stream = await (both[1] as ClickReports).export(selection, 'csv')
    const reader = stream.getReader()
    await reader.read()
    await reader.cancel()
  })
})
