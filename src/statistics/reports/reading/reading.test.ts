import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import { openStatistics, type StatisticsDatabase } from '../../store/duckdb.ts'
import { FIRST, SLOTS_PER_DAY, storedSql } from '../../store/schema.ts'
import { steadySql } from '../../store/steady.ts'
import { type ClickReports, DIMENSIONS, type Selection } from '../../types.ts'
import { createReports } from '../index.ts'

setDefaultTimeout(120_000)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FIRST_DAY = Date.parse('2026-01-11T00:00:00Z') / DAY_MS
/** Many times what DuckDB hands over at once, in three months. */
const CLICKS = 20_000
const DAYS = 60

const directory = mkdtempSync(join(tmpdir(), 'slugline-reading-'))
let database: StatisticsDatabase
/** Reads a month at a time. */
let read: ClickReports
let queried: ClickReports

beforeAll(async () => {
  database = await openStatistics(join(directory, 'statistics.duckdb'))
  const connection = await database.connect()
  // Each visitor has one country a day; a third of the clicks are a program's or of nobody.
  await connection.run(`CREATE TEMP TABLE made AS
    SELECT ${SEQS_PER_WORKSPACE} + hash(i, 2) % 70 AS link,
      (${FIRST_DAY} + day) * ${SLOTS_PER_DAY} + i % ${SLOTS_PER_DAY} AS slot, i AS ms, 0 AS n,
      if(i % 7 = 0, NULL, hash(person, i % 5 = 0)) AS visitor,
      if(i % 5 = 0, 1 + i % 2, 0) AS kind, i % 3 = 0 AS qr, i % 4 AS domain,
      if(person % 9 = 0, NULL, 'C' || person % 30) AS country,
      if(i % 6 = 0, NULL, 'referrer-' || hash(i) % 900 || '.example') AS referrer,
      '/' || i AS referrer_path, chr((97 + i % 3)::INTEGER) AS language
    FROM (SELECT i, hash(i, 1) % 300 AS person, (i * 7) % ${DAYS} AS day FROM range(${CLICKS}) AS t(i))`)
  const first = (bit: number, of = '') =>
    `if(row_number() OVER (PARTITION BY slot // ${SLOTS_PER_DAY}, visitor${of} ORDER BY slot, ms) = 1,
      ${bit}, 0)`
  const { workspace, utm_source, utm_medium, utm_campaign, ...others } = FIRST
  const columns = Object.entries(others).map(([name, bit]) => first(bit, `, ${name}`))
  const none = utm_source + utm_medium + utm_campaign
  await connection.run('CREATE TEMP TABLE marked AS SELECT * FROM clicks LIMIT 0')
  await connection.run(`INSERT INTO marked BY NAME SELECT *,
      if(visitor IS NULL, 0, ${[first(workspace + none), ...columns].join(' | ')}) AS firsts,
      if(visitor IS NULL, NULL, min(slot) OVER (PARTITION BY slot // ${SLOTS_PER_DAY}, visitor)
        % ${SLOTS_PER_DAY}) AS first_slot
    FROM made`)
  // Two of three days stand still; of some, there are more visitors' numbers than was noted.
  const still = `(slot // ${SLOTS_PER_DAY}) % 3 > 0`
  await connection.run(`INSERT INTO clicks BY NAME
    ${storedSql(`(${steadySql(`(SELECT * FROM marked WHERE ${still})`)})`)} ORDER BY hash(ms)`)
  await connection.run(`INSERT INTO clicks BY NAME ${storedSql('marked')} WHERE NOT ${still}`)
  await connection.run(`INSERT INTO ordered
    SELECT 'day', slot // ${SLOTS_PER_DAY} AS day, if(day % 3 = 1, count(*), 100)
    FROM clicks WHERE ${still} GROUP BY day`)
  connection.close()
  read = createReports(database, { reading: { perPart: 1 } })
  queried = createReports(database, { reading: { atMost: 0 } })
})

afterAll(() => {
  database.close()
  rmSync(directory, { recursive: true, force: true })
})

const berlin = [{ from: FIRST_DAY * DAY_MS, offsetMs: HOUR_MS }]
const all: Selection = {
  workspaceNo: 1,
  linkSeq: null,
  linkSeqs: null,
  // Neither end is one of a UTC day.
  from: FIRST_DAY * DAY_MS + 5 * HOUR_MS + 123,
  to: (FIRST_DAY + DAYS) * DAY_MS - 7 * HOUR_MS - 456,
  filters: [],
  bots: 'exclude',
  offsets: berlin,
}
const selections: Selection[] = [
  all,
  { ...all, bots: 'include', filters: [{ dimension: 'language', values: ['a'], exclude: true }] },
  { ...all, bots: 'only', linkSeqs: [1, 5, 9, 22].map((n) => SEQS_PER_WORKSPACE + n) },
  {
    ...all,
    filters: [
      { dimension: 'country', values: ['C1', 'C2', null], exclude: false },
      { dimension: 'hour', values: [3, 4, 5, 22], exclude: true },
    ],
  },
  // What visitors have one of a day: the first click with a value says as much as all of them.
  {
    ...all,
    from: all.from + DAY_MS,
    bots: 'include',
    filters: [{ dimension: 'country', values: ['C1', 'C2', null], exclude: false }],
  },
]

/** Boundaries each so many milliseconds apart, as a zone's clocks have them. */
function every(lengthMs: number): number[] {
  const inner: number[] = []
  for (let at = FIRST_DAY * DAY_MS + 23 * HOUR_MS; at < all.to; at += lengthMs) inner.push(at)
  return [all.from, ...inner, all.to]
}

test('clicks of a workspace are as many read as by queries', async () => {
  for (const selection of selections) {
    for (const boundaries of [every(5 * DAY_MS), every(DAY_MS), every(HOUR_MS)]) {
      const series = await read.series(selection, boundaries)
      expect(series.totals.clicks).toBeGreaterThan(100)
      expect(series).toEqual(await queried.series(selection, boundaries))
    }
    const utc = [all.from, (FIRST_DAY + 20) * DAY_MS, (FIRST_DAY + 21) * DAY_MS, all.to]
    expect(await read.series(selection, utc)).toEqual(await queried.series(selection, utc))
  }
})

test('so are those of each value, and the visitors of all that are not listed', async () => {
  for (const [i, selection] of selections.entries()) {
    for (const dimension of DIMENSIONS) {
      // Few enough for one look at each visitor, more than that, and all.
      const limit = [3, 40, 2, 100, 1][i] as number
      const top = await read.top(selection, dimension, limit)
      expect(top).toEqual(await queried.top(selection, dimension, limit))
    }
  }
})

test('a question about too many clicks is answered by queries', async () => {
  const some = createReports(database, { reading: { atMost: 6_000, perPart: 1 } })
  expect(await some.top(all, 'referrer', 5)).toEqual(await queried.top(all, 'referrer', 5))
  expect(await some.totals(all)).toEqual(await queried.totals(all))
})

test('whoever goes away is not answered', async () => {
  const leaving = new AbortController()
  const asking = createReports(database, { reading: { perPart: 1 } })
  const gone = asking.until(leaving.signal).top(all, 'referrer_path', 5)
  leaving.abort()
  await expect(gone).rejects.toBe(leaving.signal.reason)
  expect(await asking.totals(all)).toEqual(await queried.totals(all))
})
