import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { Click } from '../types.ts'
import { openStatistics, type StatisticsDatabase } from './duckdb.ts'
import { FIRST, SLOT_MS, SLOTS_PER_DAY } from './schema.ts'
import { click, store } from './testing/store.ts'
import { type ClickWriter, createClickWriter } from './write.ts'

const DAY = 86_400_000
const NOON = 20_000 * DAY + DAY / 2
const LINK = SEQS_PER_WORKSPACE + 1
let dir: string
let database: StatisticsDatabase
let writer: ClickWriter

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-statistics-'))
  await open()
})

afterEach(() => {
  database.close()
  rmSync(dir, { recursive: true, force: true })
})

async function open(): Promise<void> {
  database = await openStatistics(join(dir, 'statistics.duckdb'))
  writer = await createClickWriter(await database.connect())
}

async function reopen(): Promise<void> {
  database.close()
  await open()
}

async function all<R>(sql: string): Promise<R[]> {
  const connection = await database.connect()
  try {
    return await connection.all<R>(sql)
  } finally {
    connection.close()
  }
}

describe('a batch', () => {
  test('comes back as it went in, with its watermark', async () => {
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
      city: 'Berlin-Friedrichshain-Kreuzberg',
      language: 'zh-Hant',
      referrer: 'xn--bcher-kva.example',
      referrer_path: '/ein/langer/Weg/ü/😀',
      device: 'mobile',
      browser: 'Firefox',
      os: 'Ubuntu Touch 1',
      utm_source: '',
      utm_medium: 'é2345678901',
      utm_campaign: 'é23456789012',
      utm_term: "'; DROP TABLE clicks; --",
      utm_content: 'x'.repeat(1_000),
    })
    await store(writer, [full, click({ time: NOON, linkSeq: LINK })])
    await reopen()
    expect(writer.watermark).toEqual({ segment: 1, offset: 1 })
    const [plain, rich] = await all<Record<string, unknown>>('SELECT * FROM clicks ORDER BY ms')
    expect(plain).toMatchObject({ link: BigInt(LINK), visitor: null, first_slot: null, firsts: 0 })
    expect(plain).toMatchObject({ reason: null, utm_content: null, kind: 0, qr: false })
    const { time, linkSeq, domainNo, visitor, kind, trigger, ...texts } = full
    expect(rich).toMatchObject({
      link: BigInt(linkSeq),
      slot: Math.floor(time / SLOT_MS),
      ms: time % SLOT_MS,
      n: 0,
      visitor: (visitor as bigint) ^ 0x9e3779b97f4a7c15n,
      firsts: 255,
      first_slot: Math.floor(time / SLOT_MS) % SLOTS_PER_DAY,
      kind: 2,
      qr: true,
      domain: domainNo,
      ...texts,
    })
    expect({ kind, trigger }).toEqual({ kind: 'preview', trigger: 'qr' })
  })

  test('that fails leaves nothing, and the next one is exact', async () => {
    const [a, b] = [1n, 2n].map((visitor) => click({ time: NOON, linkSeq: LINK, visitor }))
    await store(writer, [a as Click])
    const torn = await database.connect()
    await torn.run('ALTER TABLE watermark RENAME TO away')
    await expect(store(writer, [a as Click, b as Click])).rejects.toThrow()
    await torn.run('ALTER TABLE away RENAME TO watermark')
    expect(await all('SELECT count(*)::INTEGER AS n FROM clicks')).toEqual([{ n: 1 }])
    await store(writer, [a as Click, b as Click])
    expect(await firstsOf()).toEqual([255, 0, 255])
    expect(await all('SELECT n FROM clicks ORDER BY n')).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }])
  })

  test('whose clicks can not be written leaves the watermark behind, too', async () => {
    const one = click({ time: NOON, linkSeq: LINK, visitor: 1n })
    await store(writer, [one])
    const before = await all('SELECT segment, "offset" FROM watermark')
    const torn = await database.connect()
    await torn.run('ALTER TABLE clicks ADD COLUMN unknown INTEGER')
    await expect(store(writer, [one, one])).rejects.toThrow()
    expect(await all('SELECT segment, "offset" FROM watermark')).toEqual(before)
    await torn.run('ALTER TABLE clicks DROP COLUMN unknown')
    await reopen()
    expect(await all('SELECT segment, "offset" FROM watermark')).toEqual(before)
    await store(writer, [one, one])
    expect(await all('SELECT count(*)::INTEGER AS n FROM clicks')).toEqual([{ n: 3 }])
  })

  test('of more than a chunk of rows, and more than 65,536 in one millisecond', async () => {
    const many = Array.from({ length: 70_000 }, () => click({ time: NOON, linkSeq: LINK }))
    await store(writer, many)
    await store(writer, many.slice(0, 10))
    expect(
      await all('SELECT count(*)::INTEGER AS c, count(DISTINCT n)::INTEGER AS d FROM clicks'),
    ).toEqual([{ c: 70_010, d: 70_010 }])
  })
})

async function firstsOf(): Promise<number[]> {
  const rows = await all<{ firsts: number }>('SELECT firsts FROM clicks ORDER BY slot, ms, n')
  return rows.map(({ firsts }) => firsts)
}

/** Few values, so that they meet. */
const clickArbitrary = fc.record({
  time: fc.integer({ min: 0, max: 30 }).map((step) => NOON - DAY + step * 5_000_000),
  linkSeq: fc.constantFrom(LINK, LINK + 1, 2 * SEQS_PER_WORKSPACE + 1),
  visitor: fc.constantFrom(1n, 2n, 3n, 0xffffffffffffffffn, null),
  kind: fc.constantFrom('person' as const, 'bot' as const),
  language: fc.constantFrom('de', 'en', null),
  referrer: fc.constantFrom('a.example', 'direct', null),
  referrer_path: fc.constantFrom('/', null),
  utm_source: fc.constantFrom('de', 'x', null),
  utm_medium: fc.constantFrom('x', null),
  utm_campaign: fc.constantFrom('x', 'y', null),
})

test('firsts and numbers are exact over batches, restarts and times out of order', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.array(clickArbitrary, { minLength: 1, maxLength: 12 }) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      database.close()
      rmSync(dir, { recursive: true, force: true })
      dir = mkdtempSync(join(tmpdir(), 'slugline-statistics-'))
      await open()
      for (const one of steps) {
        if (one === 'restart') await reopen()
        else await store(writer, one.map(click))
      }
      for (const [name, bit] of Object.entries(FIRST)) {
        const by = name === 'workspace' ? '' : `, ${name}`
        const [row] = await all<{ marked: bigint; different: bigint }>(
          `SELECT count(*) FILTER ((firsts & ${bit}) <> 0) AS marked,
             (SELECT count(*) FROM (SELECT DISTINCT link >> 32, slot // 96, visitor${by}
              FROM clicks WHERE visitor IS NOT NULL)) AS different
           FROM clicks`,
        )
        expect(`${name} ${row?.marked}`).toBe(`${name} ${row?.different}`)
      }
      // Where a visitor's first click of the day lies is known at each of them.
      expect(
        await all(
          `SELECT c.first_slot, f.slot % 96 AS slot FROM clicks c JOIN clicks f
           ON c.visitor = f.visitor AND c.link >> 32 = f.link >> 32 AND c.slot // 96 = f.slot // 96
           WHERE (f.firsts & 1) <> 0 AND c.first_slot <> f.slot % 96`,
        ),
      ).toEqual([])
      expect(await all('SELECT slot FROM clicks GROUP BY slot, ms, n HAVING count(*) > 1')).toEqual(
        [],
      )
    }),
    { numRuns: 15 },
  )
}, 60_000)
