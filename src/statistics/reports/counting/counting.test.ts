import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import { compareValues } from '../../compare-values.ts'
import { openStatistics, type StatisticsDatabase } from '../../store/duckdb.ts'
import { FIRST, SLOT_MS, SLOTS_PER_DAY } from '../../store/schema.ts'
import { type ClickReports, DIMENSIONS, type Dimension, type Selection } from '../../types.ts'
import { createReports } from '../index.ts'
import { createHotLinks } from './hot.ts'
import { mostClicked } from './list.ts'
import type { Value } from './values.ts'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z') / DAY_MS
const LINK = SEQS_PER_WORKSPACE + 1
/**
 * Many times what DuckDB hands over at once, on days that don't lie in order, with more paths than are
 * counted one by one.
 */
const CLICKS = 33_000
const DAYS = 40

const directory = mkdtempSync(join(tmpdir(), 'slugline-counting-'))
let database: StatisticsDatabase
let counted: ClickReports
let queried: ClickReports

beforeAll(async () => {
  database = await openStatistics(join(directory, 'statistics.duckdb'))
  const connection = await database.connect()
  // Each visitor has one country a day, and is a number on two days of three; a third of the clicks are a program's or of nobody.
  await connection.run(`CREATE TEMP TABLE made AS
    SELECT link, (${FIRST_DAY} + day) * ${SLOTS_PER_DAY} + i % ${SLOTS_PER_DAY} AS slot, i AS ms, 0 AS n,
      CASE WHEN i % 7 = 0 THEN NULL WHEN day % 3 = 0 THEN hash(person, i % 5 = 0)
        ELSE (person * 2 + (i % 5 = 0)::INTEGER)::UBIGINT END AS visitor,
      if(i % 5 = 0, 1 + i % 2, 0) AS kind, i % 3 = 0 AS qr, i % 4 AS domain,
      if(person % 9 = 0, NULL, 'C' || person % 30) AS country,
      if(i % 6 = 0, NULL, 'referrer-' || hash(i) % 900 || '.example') AS referrer,
      '/' || i AS referrer_path, chr((97 + i % 20)::INTEGER) AS language
    FROM (SELECT i, hash(i, 1) % 500 AS person, (i * 7) % ${DAYS} AS day,
        ${LINK} + (i % 3 = 1)::INTEGER AS link
      FROM range(${CLICKS}) AS t(i))`)
  const first = (bit: number, of = '') =>
    `if(row_number() OVER (PARTITION BY slot // ${SLOTS_PER_DAY}, visitor${of} ORDER BY slot, ms) = 1,
      ${bit}, 0)`
  const { workspace, link, utm_source, utm_medium, utm_campaign, ...others } = FIRST
  const columns = Object.entries(others).map(([name, bit]) => first(bit, `, ${name}`))
  const none = utm_source + utm_medium + utm_campaign
  await connection.run(`INSERT INTO clicks BY NAME SELECT *,
      if(visitor IS NULL, 0, ${[first(workspace + none), first(link, ', link'), ...columns].join(' | ')})
        AS firsts,
      if(visitor IS NULL, NULL, min(slot) OVER (PARTITION BY slot // ${SLOTS_PER_DAY}, visitor)
        % ${SLOTS_PER_DAY}) AS first_slot
    FROM made ORDER BY ms`)
  connection.close()
  counted = createReports(database)
  queried = createReports(database, { countedAtMost: 0 })
})

afterAll(() => {
  database.close()
  rmSync(directory, { recursive: true, force: true })
})

const selection: Selection = {
  workspaceNo: 1,
  linkSeq: LINK,
  linkSeqs: null,
  from: FIRST_DAY * DAY_MS,
  to: (FIRST_DAY + DAYS) * DAY_MS,
  filters: [],
  bots: 'exclude',
  offsets: [{ from: FIRST_DAY * DAY_MS, offsetMs: 3_600_000 }],
}
const boundaries = Array.from(
  { length: 2 * DAYS + 1 },
  (_, i) => selection.from + (i * DAY_MS) / 2 + (i > 0 && i < 2 * DAYS ? 3_600_000 : 0),
)

describe('thousands of clicks of a link', () => {
  test('are as many counted one by one as by queries', async () => {
    for (const [bots, limit] of [
      ['exclude', 3],
      ['include', 1_000],
      ['only', 2],
    ] as const) {
      const asked = { ...selection, bots }
      const series = await counted.series(asked, boundaries)
      expect(series.totals.clicks).toBeGreaterThan(1_000)
      expect(series).toEqual(await queried.series(asked, boundaries))
      for (const dimension of DIMENSIONS) {
        const top = await counted.top(asked, dimension, limit)
        expect(top).toEqual(await queried.top(asked, dimension, limit))
      }
    }
  })

  test('are counted by queries when they are too many', async () => {
    const some = createReports(database, { countedAtMost: 5_000 })
    expect(await some.series(selection, boundaries)).toEqual(
      await counted.series(selection, boundaries),
    )
    expect(await some.top(selection, 'referrer', 20)).toEqual(
      await counted.top(selection, 'referrer', 20),
    )
  })

  test('of a link that is known to have many are counted by what is quicker', async () => {
    const some = createReports(database, { queriedFrom: 5_000 })
    // Of how many there are it knows from now on.
    await some.totals(selection)
    const days = boundaries.filter((_, i) => i % 2 === 0).map((at) => at - (at % DAY_MS))
    const questions = [
      (reports: ClickReports) => reports.series(selection, days),
      (reports: ClickReports) => reports.series(selection, boundaries),
      ...DIMENSIONS.map((it) => (reports: ClickReports) => reports.top(selection, it, 5)),
    ]
    const together = await Promise.all(questions.map((question) => question(some)))
    for (const [i, question] of questions.entries()) {
      expect(together[i]).toEqual(await question(counted))
    }
  })

  test('answer questions that come together as they answer each alone', async () => {
    // A quarter of an hour that has clicks in its first half minute.
    const at = selection.to - DAY_MS + 41 * SLOT_MS
    // Two ends of one minute between which there are no clicks, and two between which there are.
    const ends = [selection.to, selection.to - 1, at + 10_000, at + 20_000]
    const questions = ends.flatMap((to) => {
      const asked = { ...selection, to }
      return [
        (reports: ClickReports) => reports.totals(asked),
        (reports: ClickReports) => reports.series(asked, [asked.from, to - DAY_MS, to]),
        ...DIMENSIONS.map((it) => (reports: ClickReports) => reports.top(asked, it, 5)),
      ]
    })
    const together = await Promise.all(questions.map((question) => question(counted)))
    for (const [i, question] of questions.entries()) {
      expect(together[i]).toEqual(await question(queried))
    }
  })

  test('wait for nobody who has gone', async () => {
    const asking = createReports(database)
    const leaving = new AbortController()
    const gone = asking.until(leaving.signal)
    const ask = (reports: ClickReports, to = selection.to) =>
      reports.top({ ...selection, to }, 'referrer', 5)
    const alone = ask(gone, selection.from + DAY_MS)
    const together = [ask(gone), ask(asking), ask(gone)]
    leaving.abort()
    await expect(alone).rejects.toBe(leaving.signal.reason)
    expect(await together[1]).toEqual(await ask(queried))
    await Promise.allSettled(together)
  })
})

describe('a link with many clicks', () => {
  const days = [selection.from, selection.from + DAY_MS, selection.to]
  const hot = createHotLinks(1_000)

  test.each([
    ['as many in half of the time', { to: selection.from + 20 * DAY_MS }, 500, true],
    ['fewer', {}, 999, false],
    ['as many of another link', { linkSeq: LINK + 1 }, 1_000, false],
    ['as many that fit a filter', { filters: [filterOf('country')] }, 1_000, true],
    ['fewer that fit a filter', { filters: [filterOf('country')] }, 999, false],
  ])('is known by what was read: %s', (_, told, clicks, expected) => {
    const read = createHotLinks(1_000)
    read.tell({ ...selection, ...told }, clicks)
    expect(read.isBetterQueried(selection, { boundaries: days })).toBe(expected)
  })

  test('is so whatever fits a filter, until it has fewer', () => {
    const read = createHotLinks(1_000)
    read.tell(selection, 1_000)
    read.tell({ ...selection, filters: [filterOf('country')] }, 1)
    expect(read.has(selection)).toBe(true)
    read.tell(selection, 999)
    expect(read.has(selection)).toBe(false)
  })

  test('is queried for what was read in vain, of as long a time or longer', () => {
    const read = createHotLinks(1_000)
    const paths = { dimension: 'referrer_path', limit: 5 } as const
    read.tellInVain({ ...selection, from: selection.from + DAY_MS }, paths)
    read.tellInVain(selection, paths)
    const isQueried = (other: Partial<Selection>) =>
      read.isBetterQueried({ ...selection, ...other }, { ...paths, limit: 9 })
    expect(isQueried({})).toBe(true)
    expect(isQueried({ to: selection.to - DAY_MS })).toBe(true)
    expect(isQueried({ to: selection.to - DAY_MS - 1 })).toBe(false)
    expect(isQueried({ linkSeq: LINK + 1 })).toBe(false)
    expect(isQueried({ filters: [filterOf('country')] })).toBe(false)
    expect(read.isBetterQueried(selection, { ...paths, dimension: 'referrer' })).toBe(false)
  })

  test.each([
    ['whole days', { boundaries: days }, null, true],
    ['parts of days', { boundaries }, null, false],
    ['whole days of a country', { boundaries: days }, 'country', true],
    ['whole days of a referrer', { boundaries: days }, 'referrer', false],
    ['whole days of an hour', { boundaries: days }, 'hour', false],
    ['countries', { dimension: 'country', limit: 5 }, null, true],
    ['countries of a browser', { dimension: 'country', limit: 5 }, 'browser', true],
    ['countries of a referrer', { dimension: 'country', limit: 5 }, 'referrer', false],
    ['referrers', { dimension: 'referrer', limit: 5 }, null, false],
    ['hours', { dimension: 'hour', limit: 5 }, null, false],
  ] as const)('is queried where one query answers: %s', (_, wish, filter, expected) => {
    hot.tell(selection, 1_000)
    const filters = filter === null ? [] : [filterOf(filter)]
    expect(hot.isBetterQueried({ ...selection, filters }, wish)).toBe(expected)
  })

  function filterOf(dimension: Dimension) {
    return { dimension, values: ['1'], exclude: false }
  }
})

const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.constantFrom<Value>('\u{1f600}', '\uffee', 'a', null),
)

describe('a list', () => {
  test('has texts in the order of their bytes, and none last', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const expected =
          a === null || b === null
            ? Number(a === null) - Number(b === null)
            : Buffer.compare(Buffer.from(a as string), Buffer.from(b as string))
        expect(Math.sign(compareValues(a, b))).toBe(expected)
      }),
    )
  })

  test('has the values with the most clicks', () => {
    const values = fc.uniqueArray(fc.tuple(value, fc.nat(4)), { selector: ([it]) => it })
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 8 }), (made, limit) => {
        const names = made.map(([name]) => name)
        const clicks = new Float64Array(made.map(([, n]) => n))
        const expected = made
          .toSorted(([a, n], [b, m]) => m - n || compareValues(a, b))
          .slice(0, limit)
          .map(([name]) => names.indexOf(name))
        expect(mostClicked(clicks, names, limit)).toEqual(expected)
      }),
    )
  })
})
