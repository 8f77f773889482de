import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { createReports } from '../../reports/index.ts'
import { click } from '../../testing/naive.ts'
import type { Selection, StoredClick } from '../../types.ts'
import { createDuckDbEngine } from './index.ts'
import { linkNumbers } from './recount.ts'
import { createDuckDbTarget } from './shipping.ts'
import { openTestDuckDb, type TestDuckDb } from './testing/duckdb.ts'

const NOON = Date.parse('2026-06-15T12:00:00Z')
const LINK = SEQS_PER_WORKSPACE + 1
let opened: TestDuckDb

beforeEach(async () => {
  opened = await openTestDuckDb()
})
afterEach(() => opened.close())

const state = async () => (await createDuckDbTarget(opened.database)).load()

const at = (segment: number, offset = 0) => ({ segment, offset })

async function stored(workspaceNo = 1): Promise<StoredClick[]> {
  const selection: Selection = {
    workspaceNo,
    linkSeq: null,
    linkSeqs: null,
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    filters: [],
    bots: 'include',
    offsets: [],
  }
  const reports = createReports(createDuckDbEngine(opened.database))
  const clicks = await reports.clicks(selection, { after: { time: 0, n: -1 }, limit: 100_000 })
  const visitors = await opened.rows(
    `SELECT visitor FROM clicks WHERE workspace = ${workspaceNo} ORDER BY time, n`,
  )
  return clicks.map((it, i) => ({ ...it, visitor: visitors[i]?.[0] as bigint | null }))
}

describe('a batch', () => {
  test('is read back as it was stored, with its watermark', async () => {
    const full = click({
      time: NOON + 123,
      linkSeq: 77 * SEQS_PER_WORKSPACE + 4_294_967_295,
      domainNo: 3,
      visitor: 0xfedcba9876543210n,
      kind: 'preview',
      reason: 'prefetch',
      trigger: 'qr',
      country: 'DE',
      region: 'DE-BE',
      city: 'Köln "🙂" \\ \n',
      language: 'zh-Hant',
      referrer: "'; DROP TABLE clicks; --",
      referrer_path: '/',
      device: 'mobile',
      browser: 'Firefox',
      os: 'Android',
      utm_source: '\u0000',
      utm_medium: '',
      utm_campaign: 'x'.repeat(70_000),
      utm_term: '1',
      utm_content: 'null',
      rule: 'r1',
      variant: 'a',
    })
    const empty = click({ time: NOON + 124, linkSeq: 77 * SEQS_PER_WORKSPACE })
    await opened.write([full, empty], at(3, 456))
    await opened.reopen()
    expect(await stored(77)).toEqual([full, empty])
    expect((await state()).at).toEqual(at(3, 456))
    expect((await state()).since).toBe(0)
  })

  test('with half a surrogate pair is stored', async () => {
    await opened.write([click({ time: NOON, linkSeq: LINK, utm_term: 'a\ud83d' })], at(1))
    expect((await stored())[0]?.utm_term).toBe('a\ufffd')
  })

  test('that fails stores nothing, and the next one is exact', async () => {
    await opened.write([click({ time: NOON, linkSeq: LINK })], at(1))
    const broken = click({ time: NOON, linkSeq: LINK, domainNo: 2 ** 40 })
    const many = Array.from({ length: 25_000 }, (_, i) => click({ time: NOON + i, linkSeq: LINK }))
    await expect(opened.write([...many, broken], at(2))).rejects.toThrow()
    expect((await state()).at).toEqual(at(1))
    expect(readdirSync(opened.database.temporary)).toEqual([])
    await opened.write([click({ time: NOON, linkSeq: LINK })], at(2))
    await opened.reopen()
    expect(await stored()).toHaveLength(2)
    expect((await state()).at).toEqual(at(2))
  })

  test('passes through a file that others cannot read, and that is deleted', async () => {
    const modes: number[] = []
    const watcher = watch(opened.database.temporary, (_, name) => {
      const file = join(opened.database.temporary, String(name))
      const found = statSync(file, { throwIfNoEntry: false })
      if (found !== undefined) modes.push(found.mode & 0o777)
    })
    const many = Array.from({ length: 20_000 }, (_, i) => click({ time: NOON + i, linkSeq: LINK }))
    while (modes.length === 0) await opened.write(many, at(1))
    watcher.close()
    expect(new Set(modes)).toEqual(new Set([0o600]))
    expect(readdirSync(opened.database.temporary)).toEqual([])
  })

  test('after a gap in the journal records since when clicks are complete', async () => {
    await opened.write([click({ time: NOON, linkSeq: LINK })], at(9), NOON)
    await opened.reopen()
    expect((await state()).since).toBe(NOON)
    await opened.write([click({ time: NOON + 1, linkSeq: LINK })], at(10))
    await opened.reopen()
    expect((await state()).since).toBe(NOON)
  })
})

test('numbers differ, and grow with the batches, over restarts and times out of order', async () => {
  const batches = fc.array(
    fc.record({
      times: fc.array(fc.nat(4), { maxLength: 12 }),
      restarts: fc.boolean(),
    }),
    { maxLength: 5 },
  )
  let segment = 0
  await fc.assert(
    fc.asyncProperty(batches, async (given) => {
      await opened.rows('DELETE FROM clicks')
      await opened.reopen()
      const last = new Map<number, number>()
      for (const { times, restarts } of given) {
        const clicks = times.map((time) => click({ time: NOON + time, linkSeq: LINK }))
        await opened.write(clicks, at(++segment))
        for (const { time, n } of clicks) {
          expect(n).toBeGreaterThan(last.get(time) ?? -1)
          last.set(time, n)
        }
        if (restarts) await opened.reopen()
      }
      const all = await stored()
      expect(all).toHaveLength(given.flatMap(({ times }) => times).length)
      expect(new Set(all.map(({ time, n }) => `${time}-${n}`)).size).toBe(all.length)
    }),
    { numRuns: 20 },
  )
})

test('a recount has the numbers of each link in a range, of one moment', async () => {
  const visitor = 7n
  const human = { time: NOON, visitor, linkSeq: LINK }
  await opened.write(
    [
      click(human),
      click({ ...human, time: NOON + 1 }),
      click({ ...human, time: NOON + 86_400_000 }),
      click({ ...human, visitor: null }),
      click({ ...human, kind: 'bot', visitor: 8n }),
      click({ ...human, linkSeq: LINK + 1 }),
      click({ ...human, linkSeq: LINK + 2 }),
    ],
    at(4, 5),
  )
  await opened.rows(`INSERT INTO daily VALUES (1, ${LINK}, 100, 0, 5, 3, 2),
    (1, ${LINK}, 100, 2, 4, 1, 1), (1, ${LINK + 1}, 100, 1, 2, 2, 2)`)
  expect(await linkNumbers(opened.database, [LINK, LINK + 2])).toEqual({
    at: { segment: 4, offset: 5 },
    since: 0,
    links: new Map([
      [LINK, { human: 9, bot: 5, unique: 5 }],
      [LINK + 1, { human: 1, bot: 2, unique: 1 }],
    ]),
  })
})
