import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import { openStatistics, type StatisticsDatabase } from '../../store/duckdb.ts'
import { SLOT_MS, SLOTS_PER_DAY } from '../../store/schema.ts'
import type { ClickPosition, ClickReports, Selection, StoredClick } from '../../types.ts'
import { createReports } from '../index.ts'
import { createLane } from '../lane/index.ts'
import { clicks } from './clicks.ts'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z') / DAY_MS
const LINK = SEQS_PER_WORKSPACE + 1
const directory = mkdtempSync(join(tmpdir(), 'slugline-clicks-'))
let database: StatisticsDatabase
let reports: ClickReports
/** The newest first. */
let expected: { time: number; n: number }[]

beforeAll(async () => {
  database = await openStatistics(join(directory, 'statistics.duckdb'))
  const connection = await database.connect()
  // Days in a row, then some with weeks between them; each has a millisecond with three clicks.
  await connection.run(`INSERT INTO clicks BY NAME SELECT ${LINK} + i % 2 AS link,
      (${FIRST_DAY} + if(i < 60, i // 3, 20 + (i // 3 - 20) * 17)) * ${SLOTS_PER_DAY} + 90 AS slot,
      899990 AS ms, i % 3 AS n, NULL AS visitor, 0 AS firsts, NULL AS first_slot, 0 AS kind,
      false AS qr, 0 AS domain
    FROM range(90) AS t(i)`)
  const rows = await connection.all<{ slot: number; n: number }>(
    'SELECT slot, n FROM clicks ORDER BY slot DESC, n DESC',
  )
  expected = rows.map(({ slot, n }) => ({ time: slot * SLOT_MS + 899_990, n }))
  connection.close()
  reports = createReports(database)
})
afterAll(() => {
  database.close()
  rmSync(directory, { recursive: true, force: true })
})

const all: Selection = {
  workspaceNo: 1,
  linkSeq: null,
  linkSeqs: null,
  from: 0,
  to: Date.parse('2100-01-01'),
  filters: [],
  bots: 'include',
  offsets: [{ from: 0, offsetMs: 0 }],
}

type Ask = (before: ClickPosition | null) => Promise<StoredClick[]>

async function pagesOf(ask: Ask, limit: number): Promise<{ time: number; n: number }[]> {
  const found: { time: number; n: number }[] = []
  for (let before: ClickPosition | null = null; ; ) {
    const page: StoredClick[] = await ask(before)
    expect(page.length).toBeLessThanOrEqual(limit)
    const last = page.at(-1)
    if (last === undefined) return found
    found.push(...page.map(({ time, n }) => ({ time, n })))
    before = { time: last.time, n: last.n }
  }
}

function pages(selection: Selection, limit: number): Promise<{ time: number; n: number }[]> {
  return pagesOf((before) => reports.clicks(selection, { before, limit }), limit)
}

test.each([1, 2, 7, 44, 45, 46, 200])(
  'pages of %d have every click once, the newest first, however far they lie apart',
  async (limit) => {
    expect(await pages(all, limit)).toEqual(expected)
  },
)

test('the same between two times, and after the last click', async () => {
  const [first, last] = [expected.at(-10)?.time ?? 0, expected[10]?.time ?? 0]
  const some = { ...all, from: first, to: last }
  const meant = expected.filter(({ time }) => time >= first && time < last)
  expect(meant.length).toBeGreaterThan(50)
  for (const limit of [4, 100]) expect(await pages(some, limit)).toEqual(meant)
  const later = { ...all, from: (expected[0]?.time ?? 0) + 1 }
  expect(await pages(later, 10)).toEqual([])
})

test('the same of one link, however many clicks it is thought to have', async () => {
  const lane = createLane(database)
  const ofAll = { ...all, linkSeq: LINK }
  const expected = await pages(ofAll, 8)
  for (const perDay of [0, 0.5, 2, 5, 100]) {
    for (const limit of [3, 8, 100]) {
      const ask: Ask = (before) =>
        lane.run((asking) => clicks(asking, ofAll, { before, limit }, perDay))
      expect(await pagesOf(ask, limit)).toEqual(expected)
    }
  }
})

test('the same of each of two links', async () => {
  const ofLink = await pages({ ...all, linkSeq: LINK }, 8)
  const ofOther = await pages({ ...all, linkSeq: LINK + 1 }, 8)
  expect([...ofLink, ...ofOther].length).toBe(expected.length)
  expect(new Set([...ofLink, ...ofOther].map(({ time, n }) => `${time} ${n}`))).toEqual(
    new Set(expected.map(({ time, n }) => `${time} ${n}`)),
  )
})
