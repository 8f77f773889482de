import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { createReports } from '../../reports/index.ts'
import { LINKS, question, type World, world } from '../../reports/testing/world.ts'
import type { AskableReports, ExportFormat, ExportOptions } from '../../types.ts'
import { createDuckDbEngine } from '../duckdb/index.ts'
import { openTestDuckDb, type TestDuckDb } from '../duckdb/testing/duckdb.ts'
import type { LinkFacts } from '../types.ts'

/** An engine whose exports are tested. */
interface ExportsUnderTest {
  reports(facts: LinkFacts): AskableReports
  /** Replaces the stored clicks. */
  store(it: World): Promise<unknown>
}

/** The last link and domain 1 have no name. */
const FACTS: LinkFacts = {
  links: async (seqs) =>
    new Map(seqs.filter((seq) => seq !== LINKS[2]).map((seq) => [seq, `lnk_${seq}`])),
  grouped: async (_, { tags: [first] }) => LINKS.filter((_link, i) => i > 0 || first === 'all'),
  inFolders: async () => [],
  members: async () => ({ links: '', groups: '', values: [] }),
  domains: async () => new Map([[0, 'sho.rt']]),
}

/** Some questions are about links with a tag. */
const tags = fc.constantFrom({}, {}, { tags: ['all'] }, { tags: ['some'] })
const FORMATS: readonly ExportOptions[] = [
  { format: 'csv' },
  { format: 'csv', raw: true },
  { format: 'ndjson' },
]

/** Every engine's exports must be the ones of DuckDB. */
export function exportContract({ reports: made, store }: ExportsUnderTest): void {
  let single: TestDuckDb
  let both: AskableReports[]

  beforeAll(async () => {
    single = await openTestDuckDb()
    const engine = createDuckDbEngine(single.database)
    both = [createReports(engine, FACTS), made(FACTS)]
  })
  afterAll(() => single?.close())

  /** Columns, rows and the type of `clicked_at` of a Parquet file. */
  async function readParquet(bytes: Uint8Array): Promise<unknown[]> {
    const file = join(single.database.temporary, crypto.randomUUID())
    await Bun.write(file, bytes)
    return await Promise.all([
      single.rows(`SELECT column_name FROM (DESCRIBE SELECT * FROM read_parquet('${file}'))`),
      single.rows(
        `SELECT * REPLACE (epoch_ms(clicked_at) AS clicked_at) FROM read_parquet('${file}')`,
      ),
      single.rows(`SELECT type, converted_type LIKE 'TIMESTAMP%' FROM parquet_schema('${file}')
        WHERE name = 'clicked_at'`),
    ])
  }

  test('are those of a single machine: byte for byte, Parquet value for value', async () => {
    await fc.assert(
      fc.asyncProperty(world, question, tags, async (it, asked, tagged) => {
        const selection = { ...asked.selection, ...tagged }
        await store(it)
        await single.store(it)
        const exported = (reports: AskableReports, options: ExportOptions) =>
          reports.export(selection, options).then((stream) => new Response(stream).bytes())
        for (const options of FORMATS) {
          const [one, other] = await Promise.all(
            both.map(async (reports) => String(Buffer.from(await exported(reports, options)))),
          )
          expect(other).toBe(one as string)
        }
        const [one, other] = await Promise.all(
          both.map(async (reports) => readParquet(await exported(reports, { format: 'parquet' }))),
        )
        expect(other).toEqual(one as unknown[])
      }),
      { numRuns: 8 },
    )
  }, 120_000)

  test('end early when they are cancelled', async () => {
    const [it, [asked]] = [fc.sample(world, 1)[0], fc.sample(question, 1)]
    if (it === undefined || asked === undefined) throw new Error('No sample')
    await store(it)
    for (const format of ['csv', 'parquet'] satisfies ExportFormat[]) {
      const stream = await both[1]?.export(asked.selection, { format })
      const reader = stream?.getReader()
      expect((await reader?.read())?.done).toBe(false)
      await reader?.cancel()
    }
  })
}
