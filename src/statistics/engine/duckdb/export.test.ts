import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { TEXT_COLUMNS } from '../../columns.ts'
import { createReports } from '../../reports/index.ts'
import { click } from '../../testing/naive.ts'
import {
  type AskableReports,
  EXPORT_COLUMNS,
  type ExportFormat,
  type ExportOptions,
  type Selection,
  type StoredClick,
} from '../../types.ts'
import { createDuckDbEngine } from './index.ts'
import { openTestDuckDb, type TestDuckDb } from './testing/duckdb.ts'

const START = Date.parse('2026-03-31T22:59:00Z')
const LINKS = [1, 2, 3].map((n) => SEQS_PER_WORKSPACE + n)
/** The last link and domain 1 have no name. */
const IDS = new Map(LINKS.slice(0, 2).map((seq) => [seq, `lnk_${seq}`]))
const HOSTS = new Map([[0, 'sho.rt']])
const FORMATS: readonly ExportFormat[] = ['csv', 'ndjson', 'parquet']
const EVERYTHING: Selection = {
  workspaceNo: 1,
  linkSeq: null,
  linkSeqs: null,
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
  filters: [],
  bots: 'include',
  offsets: [],
}

let opened: TestDuckDb
let reports: AskableReports

beforeAll(async () => {
  opened = await openTestDuckDb()
  const facts = {
    links: async (seqs: readonly number[]) =>
      new Map([...IDS].filter(([seq]) => seqs.includes(seq))),
    grouped: async () => [],
    inFolders: async () => [],
    members: async () => ({ links: '', groups: '', values: [] }),
    domains: async () => HOSTS,
  }
  reports = createReports(createDuckDbEngine(opened.database), facts)
})
afterAll(() => opened.close())

async function exported(options: ExportOptions, selection = EVERYTHING): Promise<Uint8Array> {
  return await new Response(await reports.export(selection, options)).bytes()
}

/** Rows of a Parquet file, and the types of its columns. */
async function readParquet(bytes: Uint8Array): Promise<{ rows: unknown[][]; types: unknown[] }> {
  // DuckDB caches the blocks of a file by its name.
  const file = join(opened.database.temporary, crypto.randomUUID())
  await Bun.write(file, bytes)
  const from = `FROM read_parquet('${file}')`
  const types = await opened.rows(
    `SELECT column_name, column_type FROM (DESCRIBE SELECT * ${from})`,
  )
  const rows = await opened.rows(`SELECT * REPLACE (epoch_ms(clicked_at) AS clicked_at) ${from}`)
  return { rows, types }
}

/** DuckDB's client drops a byte order mark at the start of a text. */
function withoutMark(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^\ufeff/, '') : value
}

/** The values of an export. */
function valuesOf(it: StoredClick): Record<string, string | null> {
  const values: Record<string, unknown> = {
    ...it,
    id: `${it.time}-${it.n}`,
    clicked_at: new Date(it.time).toISOString(),
    link_id: IDS.get(it.linkSeq) ?? null,
    domain: HOSTS.get(it.domainNo) ?? null,
  }
  return Object.fromEntries(EXPORT_COLUMNS.map((name) => [name, values[name] as string | null]))
}

function csvLine(it: StoredClick, raw: boolean): string {
  const cells = Object.values(valuesOf(it)).map((value) => {
    if (value === null) return ''
    const cell = !raw && "=+-@＝＋－＠\t\r\n'".includes(value[0] ?? 'x') ? `'${value}` : value
    // Without quotes an empty text is null.
    const isPlain = cell !== '' && ![...'",\r\n'].some((character) => cell.includes(character))
    return isPlain ? cell : `"${cell.split('"').join('""')}"`
  })
  return `${cells.join(',')}\r\n`
}

const ODD = [
  ...[null, '', '"', '""', ',', '\r\n', '\n', '\t', "'", '\\', '\ufeff', '\ufeff"', '🙂', '\u0000'],
  ...[
    '=1+1',
    '＝1+1',
    '+49',
    '-1',
    '@x',
    '\tx',
    "'x",
    '\rx',
    'a=b',
    'a-b',
    'a+b@c',
    'Zürich',
    '東京,🙂',
  ],
]
const odd = fc.oneof(
  fc.constantFrom(...ODD),
  fc.constantFrom(255, 65_536, 70_000).map((length) => 'ö'.repeat(length)),
  fc.constant('\u0001'.repeat(40_000)),
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(...'=+-@\t\r\n\',"\\\u0001\u007f\u2028 aé€🙂'),
    maxLength: 20,
  }),
)
const anyClick = fc.record({
  linkSeq: fc.constantFrom(...LINKS),
  // Some are of the next month.
  after: fc.oneof(fc.nat(2), fc.nat(4 * 3_600_000)),
  domainNo: fc.nat(1),
  kind: fc.constantFrom('human' as const, 'bot' as const, 'preview' as const),
  trigger: fc.constantFrom('click' as const, 'qr' as const),
  texts: fc.dictionary(fc.constantFrom(...TEXT_COLUMNS), odd),
})

test('has the clicks in order, whatever the texts are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyClick, { maxLength: 20 }), async (made) => {
      const clicks = made
        .map(({ after, texts, ...rest }) => click({ ...rest, ...texts, time: START + after }))
        .sort((a, b) => a.time - b.time)
      clicks.forEach((it, i) => {
        const before = clicks[i - 1]
        if (before?.time === it.time) it.n = before.n + 1
      })
      await opened.store({ clicks, purged: [] })
      for (const raw of [false, true]) {
        const head = `${EXPORT_COLUMNS.join(',')}\r\n`
        const lines = clicks.map((it) => csvLine(it, raw))
        // As bytes: a decoder might leave something out.
        expect(Buffer.from(await exported({ format: 'csv', raw })).toString('latin1')).toBe(
          Buffer.from(head + lines.join('')).toString('latin1'),
        )
      }
      const lines = new TextDecoder().decode(await exported({ format: 'ndjson' })).split('\n')
      expect(lines.pop()).toBe('')
      expect(lines.map((line) => Object.entries(JSON.parse(line)))).toEqual(
        clicks.map((it) => Object.entries(valuesOf(it))),
      )
      const { rows } = await readParquet(await exported({ format: 'parquet' }))
      expect(rows).toEqual(
        clicks.map((it) =>
          Object.values({ ...valuesOf(it), clicked_at: BigInt(it.time) }).map(withoutMark),
        ),
      )
    }),
    { numRuns: 20 },
  )
}, 120_000)

describe('an export', () => {
  const clicks = [1, 2, 3].map((i) => click({ linkSeq: LINKS[0] as number, time: START + i }))
  beforeEach(() => opened.store({ clicks, purged: [] }))

  test('to Parquet has times in UTC', async () => {
    const { types } = await readParquet(await exported({ format: 'parquet' }))
    expect(types).toContainEqual(['clicked_at', 'TIMESTAMP WITH TIME ZONE'])
    expect(types.map((type) => (type as string[])[0])).toEqual([...EXPORT_COLUMNS])
  })

  test.each(FORMATS)('of nothing is valid: %s', async (format) => {
    const bytes = await exported({ format }, { ...EVERYTHING, workspaceNo: 5 })
    if (format === 'parquet') expect((await readParquet(bytes)).rows).toEqual([])
    else
      expect(new TextDecoder().decode(bytes)).toBe(
        format === 'csv' ? `${EXPORT_COLUMNS.join(',')}\r\n` : '',
      )
  })

  test('has the clicks of the selection alone', async () => {
    const selection = { ...EVERYTHING, from: START + 2, to: START + 3 }
    const text = new TextDecoder().decode(await exported({ format: 'ndjson' }, selection))
    expect(text.split('\n').map((line) => line.slice(7, 20))).toEqual([String(START + 2), ''])
  })

  test.each(FORMATS)('that is cancelled leaves no file: %s', async (format) => {
    const reader = (await reports.export(EVERYTHING, { format })).getReader()
    await reader.read()
    await reader.cancel()
    const names = readdirSync(opened.database.temporary)
    expect(names.filter((name) => name.startsWith('export-'))).toEqual([])
  })

  test('ends with an error when its caller has gone', async () => {
    const abort = new AbortController()
    const body = await reports.until(abort.signal).export(EVERYTHING, { format: 'csv' })
    abort.abort()
    await expect(new Response(body).bytes()).rejects.toThrow()
  })
})
