import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { postgresMissing, sharedPostgres } from '../../../test/harness/postgres.ts'
import { openPostgres, type Storage } from '../../storage/index.ts'
import { createReports } from '../reports/index.ts'
import { LINKS, question, store as storeInFile, world } from '../reports/testing/world.ts'
import {
  openStatistics,
  type StatisticsConnection,
  type StatisticsDatabase,
} from '../store/duckdb.ts'
import type { ClickReports } from '../types.ts'
import { createPostgresReports } from './reports.ts'
import { store } from './testing/world.ts'

/** Some questions are about links with a tag. */
const tags = fc.constantFrom({}, {}, { tags: ['all'] }, { tags: ['some'] })

describe.skipIf(postgresMissing !== undefined)('exports', () => {
  let storage: Storage
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
    const server = await sharedPostgres()
    storage = await openPostgres({ url: await server.createDatabase(), poolSize: 5 })
    directory = mkdtempSync(join(tmpdir(), 'slugline-exports-'))
    database = await openStatistics(join(directory, 'statistics.duckdb'))
    connection = await database.connect()
    both = [
      createReports(database, { facts }),
      createPostgresReports({ storage, directory: join(directory, 'exports'), facts }),
    ]
  })
  afterAll(async () => {
    await storage?.close()
    database?.close()
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  })

  test('are those of one machine, byte for byte; Parquet value for value', async () => {
    await fc.assert(
      fc.asyncProperty(world, question, tags, async (it, asked, tagged) => {
        const selection = { ...asked.selection, ...tagged }
        await store(storage, it)
        await storeInFile(connection, { ...it, settled: [] })
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
            return [
              await connection.all(`SELECT name, type, converted_type
                FROM parquet_schema('${file}') WHERE name NOT IN ('schema', 'duckdb_schema')`),
              await connection.all(
                `SELECT * REPLACE (epoch_ms(clicked_at) AS clicked_at) FROM read_parquet('${file}')`,
              ),
            ]
          }),
        )
        expect(rows[1]).toEqual(rows[0] ?? [])
      }),
      { numRuns: 6 },
    )
    expect(readdirSync(join(directory, 'exports'))).toEqual([])
  }, 120_000)

  test('that nobody reads on leave nothing behind', async () => {
    const [it] = fc.sample(world, 1)
    await store(storage, it as NonNullable<typeof it>)
    const [{ selection } = { selection: null }] = fc.sample(question, 1)
    if (selection === null) return
    for (const format of ['csv', 'parquet'] as const) {
      const stream = await (both[1] as ClickReports).export(selection, format)
      const reader = stream.getReader()
      await reader.read()
      await reader.cancel()
    }
    expect(readdirSync(join(directory, 'exports'))).toEqual([])
  })
})
