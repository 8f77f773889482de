import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { openSite, type Site } from '../../../redirect/testing/site.ts'
import { databaseFiles, migrate, SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import { bucketStarts } from '../../intervals.ts'
import {
  openStatistics,
  type StatisticsConnection,
  type StatisticsDatabase,
} from '../../store/duckdb.ts'
import { createMaintenance, type Maintenance } from '../../store/maintenance.ts'
import { ROLLED } from '../../store/schema.ts'
import { store } from '../../store/testing/store.ts'
import { type ClickWriter, createClickWriter } from '../../store/write.ts'
import { click } from '../../testing/naive.ts'
import {
  type AskableReports,
  DIMENSIONS,
  type Filter,
  type Selection,
  type StoredClick,
} from '../../types.ts'
import { zoneOffsets } from '../../zones.ts'
import { createReports } from '../index.ts'
import { naive, type PurgedDay } from '../testing/naive.ts'

setDefaultTimeout(300_000)

const DAY_MS = 86_400_000
/** Clocks change in Berlin on 29 March, and in New York on the 8th. */
const FIRST_DAY = Date.parse('2026-03-01T00:00:00Z') / DAY_MS
const DAYS = 45
const NOW = (FIRST_DAY + DAYS) * DAY_MS - 3_600_000
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe']
const LINKS = 6
const RARE = 'rare.example'
/** A few clicks have it in each block, and more than the rarest one. */
const FEW = 'c.example'
/** A few frequent ones, and more than a block lists. */
const PATHS = [null, '/', '/a', '/b', '/c', '/d', '/e']

let now = NOW
let dir: string
let site: Site
let database: StatisticsDatabase
let connection: StatisticsConnection
let writer: ClickWriter
let maintenance: Maintenance
let reports: AskableReports
let links: number[]
let clicks: StoredClick[] = []
let visitors = 0n

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-rolled-'))
  await migrate(dir)
  site = await openSite(dir, { clock: { now: () => now } })
  database = await openStatistics(join(dir, 'statistics.duckdb'))
  connection = await database.connect()
  writer = await createClickWriter(await database.connect())
  reports = createReports(database)
  maintenance = await createMaintenance({
    database,
    mainFile: databaseFiles(dir).main,
    clock: { now: () => now },
    changed: writer.forgetFirsts,
    sizes: {
      month: 1_000_000,
      perStep: 1_000,
      block: 1,
      hot: 3,
      values: { kept: 4, listed: 4 },
    },
  })
  links = []
  for (let i = 0; i < LINKS; i++) links.push(await site.addLink({ slug: `s${i}` }))
})

afterAll(async () => {
  database.close()
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

const some = <T>(values: readonly T[], draw: number) =>
  values[Math.floor(draw * values.length)] as T

/** New visitors, each with a few clicks on one day. */
function arrive(count: number, first: number, days: number): StoredClick[] {
  const random = () => Math.random()
  return Array.from({ length: count }, () => {
    const day = first + Math.floor(random() * days)
    const visitor = random() < 0.1 ? null : ++visitors * 0x9e3779b97f4a7c1n
    const kind = some(['person', 'person', 'person', 'bot'] as const, random())
    const country = some(['DE', 'US', null], random() ** 2)
    return Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      click({
        time: day * DAY_MS + Math.floor(random() * DAY_MS),
        linkSeq: some(links, random() ** 2),
        visitor,
        kind,
        country,
        language: some(['de', 'en', null], random()),
        referrer:
          random() < 0.1 ? RARE : some(['a.example', 'b.example', null, FEW], random() ** 2),
        utm_source: some(['s', 't', null], random()),
        utm_content: some(['x', 'y', null], random()),
        referrer_path: some(PATHS, random() ** 3),
        trigger: random() < 0.2 ? 'qr' : 'click',
      }),
    )
  })
    .flat()
    .sort((a, b) => a.time - b.time)
}

async function add(more: StoredClick[]): Promise<void> {
  clicks = [...clicks, ...more]
  await store(writer, more)
}

async function round(): Promise<void> {
  now += 3_600_000
  while (maintenance.due) await maintenance.step()
}

const rolledDays = async () =>
  (
    await connection.all<{ block: number; end: number }>(
      `SELECT block - ${FIRST_DAY} AS block, block + days - ${FIRST_DAY} AS end FROM rolled
       WHERE whole AND subject >> 32 = 0 ORDER BY block`,
    )
  ).map(({ block, end }) => [block, end])

const range = fc
  .tuple(...[0, 0].map(() => fc.tuple(fc.integer({ min: -3, max: DAYS }), fc.nat(4))))
  .map((ends) => {
    const at = ends.map(([day, part]) =>
      Math.floor(((FIRST_DAY + (day as number)) * DAY_MS + (part as number) * 21_700_000) / 1),
    )
    return { from: Math.min(...at), to: Math.max(...at) + 1 }
  })
/** All but a few, of whose visitors roll-ups tell who came with nothing else. */
const leftOut: readonly Filter[] = [
  { dimension: 'referrer', values: [FEW], exclude: true },
  { dimension: 'country', values: [null], exclude: true },
]
/** What is answered from roll-ups although it has a filter, and some that isn't. */
const filters = fc.constantFrom<Filter[]>(
  { dimension: 'referrer', values: [RARE], exclude: true },
  { dimension: 'referrer', values: [RARE, 'a.example'], exclude: true },
  ...leftOut,
  { dimension: 'link', values: [], exclude: true },
  { dimension: 'referrer_path', values: ['/d', '/e'], exclude: true },
  { dimension: 'country', values: ['FR'], exclude: true },
  { dimension: 'hour', values: [9, 10, 11, 23], exclude: false },
  { dimension: 'hour', values: [0, 12], exclude: true },
  { dimension: 'weekday', values: [1, 7], exclude: true },
)
const asked = fc.record({
  filters: fc.oneof(
    fc.constant<Filter[]>([]),
    filters.map((filter) => [filter]),
    fc.tuple(filters, filters),
  ),
  range: fc.oneof(fc.constant({ from: (FIRST_DAY - 5) * DAY_MS, to: NOW }), range),
  zone: fc.constantFrom(...ZONES),
  bots: fc.constantFrom('exclude' as const, 'include' as const, 'only' as const),
  link: fc.oneof(fc.constant(null), fc.constant(null), fc.nat(LINKS - 1)),
  interval: fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const),
  dimension: fc.constantFrom(...DIMENSIONS),
  limit: fc.constantFrom(1, 2, 10, 100),
})

/** Asks many questions, and counts again. */
async function expectRight(): Promise<void> {
  const purged = (await connection.all<Record<keyof PurgedDay, bigint>>('SELECT * FROM daily')).map(
    (row) => Object.fromEntries(Object.entries(row).map(([name, n]) => [name, Number(n)])) as never,
  )
  const recount = naive({ clicks, purged })
  await fc.assert(
    fc.asyncProperty(asked, async ({ range: ends, zone, bots, link, ...it }) => {
      const selection: Selection = {
        ...ends,
        workspaceNo: Math.floor((links[0] as number) / SEQS_PER_WORKSPACE),
        linkSeq: link === null ? null : (links[link] as number),
        linkSeqs: null,
        filters: it.filters,
        bots,
        offsets: zoneOffsets(zone, ends.from, ends.to),
      }
      expect(await reports.totals(selection)).toEqual(recount.totals(selection))
      expect(await reports.top(selection, it.dimension, it.limit)).toEqual(
        recount.top(selection, it.dimension, it.limit),
      )
      const starts = bucketStarts(selection, it.interval, zone) as number[]
      const boundaries = [selection.from, ...starts.slice(1), selection.to]
      expect(await reports.series(selection, boundaries)).toEqual(
        recount.series(selection, boundaries),
      )
    }),
    { numRuns: 8 },
  )
  const all = { from: (FIRST_DAY - 5) * DAY_MS, to: NOW }
  const starts = bucketStarts(all, 'month', 'UTC') as number[]
  for (const bots of ['exclude', 'only'] as const) {
    const selection: Selection = {
      ...all,
      workspaceNo: Math.floor((links[0] as number) / SEQS_PER_WORKSPACE),
      linkSeq: null,
      linkSeqs: null,
      filters: [],
      bots,
      offsets: zoneOffsets('UTC', all.from, all.to),
    }
    for (const dimension of ['link', 'referrer_path', 'utm_content'] as const) {
      expect(await reports.top(selection, dimension, 3)).toEqual(
        recount.top(selection, dimension, 3),
      )
    }
    for (const filter of leftOut) {
      const kept = { ...selection, filters: [filter] }
      // The second bucket begins with a block, the last within one.
      const within = (starts.at(-1) as number) + 5 * DAY_MS
      const boundaries = [all.from, ...starts.slice(1), within, all.to]
      expect(await reports.series(kept, boundaries)).toEqual(recount.series(kept, boundaries))
      expect(await reports.top(kept, 'country', 3)).toEqual(recount.top(kept, 'country', 3))
    }
  }
}

test('a file of before is opened', async () => {
  const file = join(dir, 'old.duckdb')
  const made = await openStatistics(file)
  const old = await made.connect()
  await old.run('ALTER TABLE rolled DROP COLUMN form')
  await old.run('INSERT INTO rolled VALUES (1, 20000, 10, true)')
  await old.run('CREATE TABLE rolled_values AS SELECT 1 AS subject')
  made.close()
  const opened = await openStatistics(file)
  const current = await opened.connect()
  const rows = await current.all('SELECT * FROM rolled')
  expect(
    await current.all("SELECT 1 FROM duckdb_tables() WHERE table_name = 'rolled_values'"),
  ).toEqual([])
  opened.close()
  expect(rows).toEqual([{ subject: 1n, block: 20000, days: 10, whole: true, form: null }])
})

test('what is rolled up stays true, whatever becomes of the clicks', async () => {
  await add(arrive(900, FIRST_DAY, DAYS))
  await round()
  // Thirds of months that stand still.
  const all = [
    [0, 10],
    [10, 20],
    [20, 31],
    [31, 41],
  ]
  expect(await rolledDays()).toEqual(all)
  await expectRight()

  // Those of an older version are made anew.
  await connection.run('UPDATE rolled SET form = NULL')
  await connection.run('UPDATE rolled_slots SET firsts = 7')
  await connection.run(
    `INSERT INTO rolled_sets SELECT DISTINCT subject, block, ${ROLLED.referrer}, 1, 1, 1 FROM rolled`,
  )
  await expectRight()
  await round()
  expect(await rolledDays()).toEqual(all)
  expect(await connection.all('SELECT 1 FROM rolled WHERE form IS NULL')).toEqual([])
  expect(
    await connection.all(`SELECT 1 FROM rolled_sets WHERE dimension <> ${ROLLED.hour}`),
  ).toEqual([])
  await expectRight()

  // Late: a day of the second block, and today.
  await add([...arrive(20, FIRST_DAY + 13, 1), ...arrive(5, FIRST_DAY + DAYS - 1, 1)])
  expect(await rolledDays()).toEqual(all.filter(([first]) => first !== 10))
  await expectRight()
  await round()
  expect(await rolledDays()).toEqual(all)
  await expectRight()

  // Between two steps of a roll-up.
  await add(arrive(20, FIRST_DAY + 25, 1))
  now += 3_600_000
  const begun = async () =>
    (await connection.all('SELECT 1 FROM rolled_slots WHERE block = ?', [FIRST_DAY + 20])).length
  while ((await begun()) === 0) await maintenance.step()
  await add(arrive(20, FIRST_DAY + 26, 1))
  while (maintenance.due) await maintenance.step()
  await expectRight()
  await round()
  expect(await rolledDays()).toEqual(all)
  await expectRight()

  const gone = links[1] as number
  await site.storage.write(({ db }) => db.deleteFrom('links').where('seq', '=', gone).execute())
  await round()
  clicks = clicks.filter(({ linkSeq }) => linkSeq !== gone)
  expect(await rolledDays()).toEqual(all)
  await expectRight()

  const kept = 31
  maintenance.setRetention([[Math.floor(gone / SEQS_PER_WORKSPACE), kept]])
  await round()
  const oldest = Math.floor(now / DAY_MS) - kept
  clicks = clicks.filter(({ time }) => time >= oldest * DAY_MS)
  expect(oldest).toBeGreaterThan(FIRST_DAY + 10)
  expect(await rolledDays()).toEqual(all.slice(1))
  await expectRight()
})
