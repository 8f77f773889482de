import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import {
  openStatistics,
  type StatisticsConnection,
  type StatisticsDatabase,
} from '../../store/duckdb.ts'
import { storedSql } from '../../store/schema.ts'
import { click } from '../../testing/naive.ts'
import type { AskableReports, ExportFormat, Selection } from '../../types.ts'
import { createReports } from '../index.ts'
import { store } from '../testing/world.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
const LINK = SEQS_PER_WORKSPACE + 1
const FORMATS: readonly ExportFormat[] = ['csv', 'ndjson', 'parquet']
const EVERYTHING: Selection = {
  workspaceNo: 1,
  linkSeq: null,
  linkSeqs: null,
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
  filters: [],
  bots: 'include',
  offsets: [{ from: 0, offsetMs: 0 }],
}

const directory = mkdtempSync(join(tmpdir(), 'slugline-export-'))
let database: StatisticsDatabase
let connection: StatisticsConnection
let reports: AskableReports

beforeAll(async () => {
  database = await openStatistics(join(directory, 'statistics.duckdb'))
  connection = await database.connect()
  reports = createReports(database)
})
beforeEach(() =>
  store(connection, {
    clicks: [1, 2, 3].map((i) => click({ linkSeq: LINK, time: NOW + i, utm_content: `kept-${i}` })),
    purged: [],
    settled: [],
    rolled: [],
    hot: [],
    values: { kept: 1, listed: 1 },
  }),
)
afterAll(() => {
  database.close()
  rmSync(directory, { recursive: true, force: true })
})

const keptIn = (text: string) => [...text.matchAll(/kept-\d|late/g)].map(([found]) => found)

async function contents(body: ReadableStream<Uint8Array>, format: ExportFormat): Promise<string[]> {
  const bytes = await new Response(body).bytes()
  if (format !== 'parquet') return keptIn(new TextDecoder().decode(bytes))
  const file = join(directory, 'out.parquet')
  await Bun.write(file, bytes)
  const rows = await connection.all<{ utm_content: string }>(
    `SELECT utm_content FROM read_parquet('${file}')`,
  )
  return rows.map(({ utm_content }) => utm_content)
}

const addLate = () =>
  connection.run(
    `INSERT INTO clicks ${storedSql(`(SELECT * REPLACE (slot + 1 AS slot, 'late' AS utm_content)
     FROM clicks WHERE utm_content = 'kept-1')`)}`,
  )

test('it is of the clicks of its beginning', async () => {
  const body = await reports.export(EVERYTHING, 'csv')
  const reader = body.getReader()
  // The head comes alone, before the first click is read.
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toMatch(/^id,clicked_at,[^\n]*\r\n$/)
  await addLate()
  reader.releaseLock()
  let text = ''
  for await (const part of body) text += new TextDecoder().decode(part)
  expect(keptIn(text)).toEqual(['kept-1', 'kept-2', 'kept-3'])
  expect(await contents(await reports.export(EVERYTHING, 'csv'), 'csv')).toHaveLength(4)
})

test('what comes while names are looked up is in no Parquet, on a link without a name', async () => {
  const slow = createReports(database, {
    facts: {
      async links(seqs) {
        await addLate()
        return new Map(seqs.map((seq) => [seq, `lnk_${seq}`]))
      },
      tagged: async () => [],
      domains: async () => new Map(),
    },
  })
  expect(await contents(await slow.export(EVERYTHING, 'parquet'), 'parquet')).toEqual([
    'kept-1',
    'kept-2',
    'kept-3',
  ])
})

test.each(FORMATS)('%s of nothing is whole, too', async (format) => {
  const none = await reports.export({ ...EVERYTHING, workspaceNo: 5 }, format)
  expect(await contents(none, format)).toEqual([])
})

test.each(FORMATS)('%s that nobody reads on leaves nothing behind', async (format) => {
  const body = await reports.export(EVERYTHING, format)
  const reader = body.getReader()
  await reader.read()
  await reader.cancel()
  expect(readdirSync(directory).filter((name) => name.includes('.export-'))).toEqual([])
})
