import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import {
  openStatistics,
  type StatisticsConnection,
  type StatisticsDatabase,
} from '../../store/duckdb.ts'
import { TEXT_COLUMNS } from '../../store/schema.ts'
import { click } from '../../testing/naive.ts'
import {
  type AskableReports,
  EXPORT_COLUMNS,
  type ExportFormat,
  type Selection,
  type StoredClick,
} from '../../types.ts'
import { createReports } from '../index.ts'
import { store } from '../testing/world.ts'
import { createLinkCells } from './link-cells.ts'

const START = Date.parse('2026-03-28T22:59:00Z')
const LINKS = [1, 2, 3].map((n) => SEQS_PER_WORKSPACE + n)
/** Nobody knows the last link any more, nor domain 1. */
const IDS = new Map(LINKS.slice(0, 2).map((seq) => [seq, `lnk_${seq}`]))
const HOSTS = new Map([[0, 'sho.rt']])
const FORMATS = ['csv', 'ndjson'] as const satisfies readonly ExportFormat[]
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

const directory = mkdtempSync(join(tmpdir(), 'slugline-lines-'))
let database: StatisticsDatabase
let connection: StatisticsConnection
let reports: AskableReports

beforeAll(async () => {
  database = await openStatistics(join(directory, 'statistics.duckdb'))
  connection = await database.connect()
  const facts = {
    links: async (seqs: readonly number[]) =>
      new Map([...IDS].filter(([seq]) => seqs.includes(seq))),
    tagged: async () => [],
    domains: async () => HOSTS,
  }
  reports = createReports(database, { facts })
})
afterAll(() => {
  database.close()
  rmSync(directory, { recursive: true, force: true })
})

/** A line as a child could write it, which changes what the form wants changed. */
function naiveLine(it: StoredClick, format: 'csv' | 'ndjson'): string {
  const values: Record<string, unknown> = {
    ...it,
    id: `${it.time}-${it.n}`,
    clicked_at: new Date(it.time).toISOString(),
    link: IDS.get(it.linkSeq) ?? null,
    domain: HOSTS.get(it.domainNo) ?? null,
  }
  const columns = EXPORT_COLUMNS.map((name) => [name, values[name] as string | null] as const)
  if (format === 'ndjson') return `${JSON.stringify(Object.fromEntries(columns))}\n`
  const cells = columns.map(([, value]) => {
    let cell = value ?? ''
    if ("=+-@\t\r'".includes(cell[0] ?? 'x')) cell = `'${cell}`
    const isPlain = ![...'",\r\n'].some((character) => cell.includes(character))
    return isPlain ? cell : `"${cell.split('"').join('""')}"`
  })
  return `${cells.join(',')}\r\n`
}

async function expectNaive(clicks: readonly StoredClick[]): Promise<void> {
  for (const format of FORMATS) {
    const head = format === 'csv' ? `${EXPORT_COLUMNS.join(',')}\r\n` : ''
    const lines = clicks.map((it) => naiveLine(it, format))
    const body = await reports.export(EVERYTHING, format)
    // As bytes: a decoder might leave something out.
    expect(Buffer.from(await new Response(body).bytes()).toString('latin1')).toBe(
      Buffer.from(head + lines.join('')).toString('latin1'),
    )
  }
}

async function storeClicks(clicks: readonly StoredClick[]): Promise<void> {
  const values = { kept: 1, listed: 1 }
  await store(connection, { clicks, purged: [], settled: [], rolled: [], hot: [], values })
}

const ODD = [
  ...[null, '', '"', '""', ',', '\r\n', '\n', '\t', "'", '\\', '\ufeff', '\ufeff"', '🙂', '\u0000'],
  ...['=1+1', '+49', '-1', '@x', '\tx', "'x", '\rx', 'a=b', 'a-b', 'a+b@c', 'Zürich', '東京,🙂'],
]
const odd = fc.oneof(
  fc.constantFrom(...ODD),
  // Around what stands in DuckDB's own vector, and in a byte.
  fc.integer({ min: 10, max: 16 }).map((length) => 'x'.repeat(length)),
  fc
    .constantFrom(254, 255, 256, 65_534, 65_535, 65_536, 70_000)
    .map((length) => 'ö'.repeat(length)),
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
  after: fc.oneof(fc.nat(2), fc.nat(4 * 3_600_000)),
  domainNo: fc.nat(1),
  kind: fc.constantFrom('person' as const, 'bot' as const, 'preview' as const),
  trigger: fc.constantFrom('click' as const, 'qr' as const),
  texts: fc.dictionary(fc.constantFrom(...TEXT_COLUMNS), odd),
})

test('lines are what a naive writer writes, whatever the texts are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyClick, { maxLength: 20 }), async (made) => {
      const clicks = made
        .map(({ after, texts, ...rest }) => click({ ...rest, ...texts, time: START + after }))
        .sort((a, b) => a.time - b.time)
      clicks.forEach((it, i) => {
        const before = clicks[i - 1]
        if (before?.time === it.time) it.n = before.n + 1
      })
      await storeClicks(clicks)
      await expectNaive(clicks)
    }),
    { numRuns: 30 },
  )
}, 120_000)

test('lines of more than a chunk and a piece follow each other', async () => {
  const clicks = Array.from({ length: 5_000 }, (_, i) =>
    click({
      linkSeq: LINKS[i % 3] as number,
      time: START + i * 100,
      city: i % 7 === 0 ? null : 'x'.repeat(i % 40),
      utm_term: ODD[i % ODD.length] ?? null,
      utm_content: i % 500 === 0 ? `"${'long, '.repeat(i * 10)}` : `content-${i}`,
    }),
  )
  await storeClicks(clicks)
  await expectNaive(clicks)
  const pieces: number[] = []
  for await (const { length } of await reports.export(EVERYTHING, 'csv')) pieces.push(length)
  // But for a line that is longer than that.
  expect(pieces.filter((length) => length > 65_536).length).toBeLessThan(10)
}, 60_000)

test('links are looked up once, unless they are too many', async () => {
  const asked: number[][] = []
  const names = {
    links: async (seqs: readonly number[]) => {
      asked.push([...seqs])
      return new Map(seqs.filter((seq) => seq % 2 === 0).map((seq) => [seq, `lnk_${seq}`]))
    },
  }
  const links = createLinkCells(names, (id) => id ?? 'none', 4)
  const learn = async (...ns: number[]) => {
    await links.learn(Uint32Array.from(ns.flatMap((n) => [n, 7])), ns.length)
    const { bytes, starts } = links.cells
    return ns.map((_, row) => {
      const place = links.places[row] as number
      return new TextDecoder().decode(bytes.subarray(starts[place], starts[place + 1]))
    })
  }
  const id = (n: number) => `lnk_${7 * SEQS_PER_WORKSPACE + n}`
  const last = 4_294_967_294
  expect(await learn(2, 3, 2, last)).toEqual([id(2), 'none', id(2), id(last)])
  expect(await learn(3, 4, 6)).toEqual(['none', id(4), id(6)])
  expect(await learn(8, 2)).toEqual([id(8), id(2)])
  const of = (...ns: number[]) => ns.map((n) => 7 * SEQS_PER_WORKSPACE + n)
  expect(asked).toEqual([of(2, 3, last), of(4, 6), of(8, 2)])
})
