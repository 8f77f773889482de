import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSite, type Site } from '../../redirect/testing/site.ts'
import { databaseFiles, migrate } from '../../storage/index.ts'
import type { Click } from '../types.ts'
import { openStatistics, type StatisticsConnection, type StatisticsDatabase } from './duckdb.ts'
import { createMaintenance, type Maintenance } from './maintenance.ts'
import { FIRST } from './schema.ts'
import { STEADY } from './steady.ts'
import { click, store } from './testing/store.ts'
import { type ClickWriter, createClickWriter } from './write.ts'

const DAY = 86_400_000
/** 4 March 2026: January and February are over. */
const NOW = Date.UTC(2026, 2, 4, 12)
let now: number
let dir: string
let site: Site
let database: StatisticsDatabase
let connection: StatisticsConnection
let writer: ClickWriter
let maintenance: Maintenance
const clock = { now: () => now }

beforeEach(async () => {
  now = NOW
  dir = mkdtempSync(join(tmpdir(), 'slugline-maintenance-'))
  await migrate(dir)
  site = await openSite(dir, { clock })
  await open()
})

afterEach(async () => {
  database.close()
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

async function open(): Promise<void> {
  database = await openStatistics(join(dir, 'statistics.duckdb'))
  connection = await database.connect()
  writer = await createClickWriter(await database.connect())
  maintenance = await createMaintenance({
    database,
    mainFile: databaseFiles(dir).main,
    clock,
    changed: writer.forgetFirsts,
    sizes: { month: 10_000, perStep: 8_000 },
  })
}

async function round(): Promise<number> {
  let steps = 0
  for (; maintenance.due; steps++) await maintenance.step()
  return steps
}

const count = async () =>
  (await connection.all<{ n: number }>('SELECT count(*)::INTEGER AS n FROM clicks'))[0]?.n

/** Every click with all that it is but for its visitor's name; and who is different from whom. */
const contents = async () => [
  await connection.all(
    `SELECT count(*) AS n, count(visitor) AS visitors, bit_xor(hash(c)) AS all_of_it
     FROM (SELECT * REPLACE ((firsts & 255) AS firsts, visitor IS NULL AS visitor) FROM clicks) c`,
  ),
  await connection.all(
    `SELECT count(*) AS n, bit_xor(hash(g)) AS all_of_it FROM (
       SELECT slot // 96 AS day, link, language, count(DISTINCT visitor) AS visitors
       FROM clicks GROUP BY day, link, language
       UNION ALL SELECT slot // 96 AS day, link >> 32, 'all', count(DISTINCT visitor)
       FROM clicks GROUP BY ALL) g`,
  ),
]

/** Bits that say what a visitor's clicks have in common, where they don't; must be none. */
const untrueBits = async () =>
  await connection.all(
    `SELECT DISTINCT link >> 32 AS workspace, slot // 96 AS day, visitor FROM (
       SELECT *, count(DISTINCT link) OVER visitor AS links, count(DISTINCT slot) OVER visitor AS slots,
         count(DISTINCT coalesce(language, '-')) OVER visitor AS languages,
         count(DISTINCT coalesce(referrer, '-')) OVER visitor AS referrers,
         count(DISTINCT kind) OVER visitor AS kinds
       FROM clicks WHERE visitor IS NOT NULL
       WINDOW visitor AS (PARTITION BY link >> 32, slot // 96, visitor))
     WHERE (firsts & ${STEADY.link} <> 0 AND links > 1) OR (firsts & ${STEADY.slot} <> 0 AND slots > 1)
       OR (firsts & ${STEADY.language} <> 0 AND languages > 1)
       OR (firsts & ${STEADY.referrer} <> 0 AND referrers > 1)
       OR (firsts & ${STEADY.way} <> 0 AND kinds > 1)`,
  )

/** Days whose visitors are numbered. */
const numberedDays = async () =>
  (
    await connection.all<{ day: number }>(
      `SELECT (slot // 96)::INTEGER AS day FROM clicks GROUP BY day
       HAVING max(visitor) < 100000 AND bit_or(firsts) > 255 ORDER BY day`,
    )
  ).map(({ day }) => day)

async function expectExactFirsts(): Promise<void> {
  for (const [name, bit] of Object.entries(FIRST)) {
    const by = name === 'workspace' ? '' : `, ${name}`
    const [row] = await connection.all<{ marked: bigint; different: bigint }>(
      `SELECT count(*) FILTER ((firsts & ${bit}) <> 0) AS marked,
         (SELECT count(*) FROM (SELECT DISTINCT link >> 32, slot // 96, visitor${by}
          FROM clicks WHERE visitor IS NOT NULL)) AS different
       FROM clicks`,
    )
    expect(`${name} ${row?.marked}`).toBe(`${name} ${row?.different}`)
  }
}

/** So many clicks, spread over links and days. */
function many(links: readonly number[], from: number, days: number, clicks: number): Click[] {
  return Array.from({ length: clicks }, (_, i) =>
    click({
      time: from + Math.floor((i / clicks) * days * DAY),
      linkSeq: links[(i * 7) % links.length] as number,
      visitor: BigInt((i * 13) % 900) * 0x9e3779b97f4a7c1n + 1_000_000n,
      kind: i % 10 === 0 ? 'bot' : 'person',
      language: i % 3 === 0 ? 'de' : null,
      referrer: `r${i % 5}.example`,
    }),
  )
}

async function addLinks(slugs: number): Promise<number[]> {
  const seqs: number[] = []
  for (let i = 0; i < slugs; i++) seqs.push(await site.addLink({ slug: `s${i}` }))
  return seqs
}

describe('putting in order', () => {
  test('rewrites months that are over, by link and time, and changes nothing else', async () => {
    const links = await addLinks(40)
    const parts = 3
    for (let part = 0; part < parts; part++) {
      await store(writer, many(links, Date.UTC(2026, 0, 1), 31, 8_000))
    }
    await store(writer, many(links, Date.UTC(2026, 1, 1), 28, 12_000))
    await store(writer, many(links, Date.UTC(2026, 2, 4), 0.4, 1_000))
    const before = await contents()
    expect(await round()).toBeGreaterThan(2)
    expect(await contents()).toEqual(before)
    await expectExactFirsts()
    // Where two months meet there are few links.
    for (const [month, link] of [
      [0, 'link'],
      [1, '-link'],
    ] as const) {
      const [order] = await connection.all<{ wrong: bigint }>(
        `SELECT count(*) AS wrong FROM (
           SELECT (${link}, slot, ms, n) < lag((${link}, slot, ms, n)) OVER (ORDER BY rowid) AS back
           FROM clicks WHERE slot >= ${Date.UTC(2026, month, 1) / 900_000}
             AND slot < ${Date.UTC(2026, month + 1, 1) / 900_000}) WHERE back`,
      )
      expect(Number(order?.wrong)).toBe(0)
    }
    expect(await untrueBits()).toEqual([])
    const still = Array.from({ length: 31 + 28 }, (_, i) => Date.UTC(2026, 0, 1 + i) / DAY)
    expect(await numberedDays()).toEqual(still)
    // What is in order is left alone.
    now += DAY / 2
    expect(await round()).toBe(5)
    database.close()
    await open()
    expect(await contents()).toEqual(before)
  })

  test('numbers a day when its salt is gone, and not before', async () => {
    const links = await addLinks(3)
    const today = NOW / DAY - 0.5
    await store(writer, many(links, NOW - 3.5 * DAY, 3.9, 3_000))
    await round()
    expect(await numberedDays()).toEqual([today - 3, today - 2])
    now += DAY / 2 + 3_599_000
    await round()
    expect(await numberedDays()).toEqual([today - 3, today - 2])
    now += 3_601_000
    await round()
    expect(await numberedDays()).toEqual([today - 3, today - 2, today - 1])
  })

  test('stands a link that goes, and clicks that come late', async () => {
    const links = await addLinks(11)
    const from = NOW - 20.5 * DAY
    await store(writer, many(links, from, 10, 22_000))
    await round()
    const [gone, ...rest] = links as [number, ...number[]]
    const withBits = () =>
      connection.all(
        `SELECT count(*) AS n, sum(firsts // 256) AS bits FROM clicks
         WHERE firsts > 255 AND link <> ${gone}`,
      )
    const bits = await withBits()
    expect(bits).not.toMatchObject([{ n: 0n }])
    await site.storage.write(({ db }) => db.deleteFrom('links').where('seq', '=', gone).execute())
    now += 3_600_000
    await round()
    expect(await count()).toBe(20_000)
    await expectExactFirsts()
    expect(await untrueBits()).toEqual([])
    expect(await withBits()).toEqual(bits)
    await store(writer, many(rest, from, 10, 30_000))
    await expectExactFirsts()
    const before = await contents()
    now += 3_600_000
    await round()
    expect(await contents()).toEqual(before)
    await expectExactFirsts()
    expect(await untrueBits()).toEqual([])
  })
})

describe('after the retention', () => {
  test('clicks become totals of their day, and of other workspaces stay', async () => {
    const [mine] = await addLinks(1)
    const link = mine as number
    const other = link + 5 * 2 ** 32
    // Not a link of the main database: the sweep would take it.
    await site.storage.write(({ db }) =>
      db
        .insertInto('deleted_links')
        .values({ seq: other, id: 'lnk_o', workspace_no: 6, deleted_at: 0, row: '{}' })
        .execute(),
    )
    const clicks = (linkSeq: number) => many([linkSeq], NOW - 40 * DAY, 40, 4_000)
    await store(writer, [...clicks(link), ...clicks(other)])
    const [before] = await connection.all<Record<string, bigint>>(
      `SELECT count(*) AS clicks, sum((firsts >> 1) & 1) AS uniques, sum(firsts & 1) AS w
       FROM clicks WHERE link = ${link}`,
    )
    maintenance.setRetention([
      [1, 30],
      [6, null],
    ])
    await round()
    const oldest = Math.floor(now / DAY) - 30
    const [after] = await connection.all<Record<string, bigint>>(
      `SELECT (SELECT count(*) FROM clicks WHERE link = ${link}) + sum(clicks) AS clicks,
         (SELECT sum((firsts >> 1) & 1) FROM clicks WHERE link = ${link}) + sum(uniques) AS uniques,
         (SELECT sum(firsts & 1) FROM clicks WHERE link = ${link}) + sum(workspace_uniques) AS w
       FROM daily`,
    )
    expect(after).toEqual(before as Record<string, bigint>)
    expect(
      await connection.all(
        `SELECT (min(slot) // 96)::INTEGER AS day, (SELECT max(day) FROM daily) AS purged,
           (SELECT count(*)::INTEGER FROM clicks WHERE link = ${other}) AS others
         FROM clicks WHERE link = ${link}`,
      ),
    ).toEqual([{ day: oldest, purged: oldest - 1, others: 4_000 }])
    await expectExactFirsts()
    now += DAY
    await round()
    expect(await connection.all('SELECT max(day) AS purged FROM daily')).toEqual([
      { purged: oldest },
    ])
  })

  test('the space of what was deleted is used again', async () => {
    const links = await addLinks(20)
    const fill = async (from: number) => {
      for (let i = 0; i < 4; i++) {
        const clicks = many(links, from, 10, 25_000)
        for (const [j, one] of clicks.entries()) one.referrer_path = `/${Bun.hash(`${i} ${j}`)}`
        await store(writer, clicks)
      }
      await connection.run('CHECKPOINT')
    }
    const size = () => statSync(database.file).size
    await fill(NOW - 100 * DAY)
    const full = size()
    maintenance.setRetention([[1, 30]])
    await round()
    expect(await count()).toBe(0)
    await fill(NOW - 90 * DAY)
    expect(size()).toBeLessThan(full * 1.3)
  })
})

describe('links that are gone', () => {
  test('keep their clicks while they can be restored, then lose them', async () => {
    const links = await addLinks(3)
    await store(writer, many(links, NOW - 5 * DAY, 5, 3_000))
    const [gone, kept] = links as [number, number]
    await site.storage.write(async ({ db }) => {
      await db.deleteFrom('links').where('seq', 'in', [gone, kept]).execute()
      for (const seq of [gone, kept]) {
        await db
          .insertInto('deleted_links')
          .values({ seq, id: `lnk_${seq}`, workspace_no: 1, deleted_at: now, row: '{}' })
          .execute()
      }
    })
    await round()
    expect(await count()).toBe(3_000)
    await site.storage.write(({ db }) =>
      db.deleteFrom('deleted_links').where('seq', '=', gone).execute(),
    )
    now += 2 * DAY
    await round()
    expect(await count()).toBe(2_000)
    await expectExactFirsts()
    // Also for what comes after it.
    await store(writer, many(links.slice(1), NOW - 5 * DAY, 5, 3_000))
    await expectExactFirsts()
  })

  test('a large one goes in steps', async () => {
    const [big] = await addLinks(2)
    const link = big as number
    for (let i = 0; i < 3; i++) {
      await store(writer, many([link, link + 1], NOW - 9 * DAY, 9, 8_000))
    }
    await site.storage.write(({ db }) => db.deleteFrom('links').where('seq', '=', link).execute())
    await round()
    expect(await connection.all('SELECT DISTINCT link FROM clicks')).toEqual([
      { link: BigInt(link + 1) },
    ])
    expect(await count()).toBe(12_000)
    await expectExactFirsts()
  })
})
