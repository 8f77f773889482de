import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { postgresMissing, sharedPostgres } from '../../../../test/harness/postgres.ts'
import { openPostgres, type Storage } from '../../../platform/storage/index.ts'
import { FIRST_DAY, LINKS, totalsOf, world } from '../../reports/testing/world.ts'
import type { AskableReports, Selection } from '../../types.ts'
import { createMaintenance } from '../shared/maintenance.ts'
import { deleteLinks, purgeExpired, summingIn } from './maintenance.ts'
import { createPostgresReports, linkNumbers } from './reports.ts'
import { store } from './testing/world.ts'

const DAY = 86_400_000

describe.skipIf(postgresMissing !== undefined)('purged clicks', () => {
  let storage: Storage
  let reports: AskableReports

  beforeAll(async () => {
    const server = await sharedPostgres()
    storage = await openPostgres({ url: await server.createDatabase(), poolSize: 5 })
    reports = createPostgresReports(storage)
  })
  afterAll(async () => {
    await storage?.close()
  })

  const selection = (linkSeq: number | null, bots: Selection['bots']): Selection => ({
    workspaceNo: 1,
    linkSeq,
    linkSeqs: null,
    from: (FIRST_DAY - 5) * DAY,
    to: (FIRST_DAY + 20) * DAY,
    filters: [],
    bots,
    offsets: [],
  })

  async function answers() {
    const found: unknown[] = []
    for (const bots of ['exclude', 'include', 'only'] as const) {
      for (const link of [null, ...LINKS])
        found.push(await totalsOf(reports, selection(link, bots)))
      const days = Array.from({ length: 26 }, (_, i) => (FIRST_DAY - 5 + i) * DAY)
      found.push(await reports.series(selection(null, bots), days))
      found.push(await reports.top(selection(null, bots), 'link', 2))
    }
    const numbers = await Array.fromAsync(linkNumbers(storage, [0, Number.MAX_SAFE_INTEGER]))
    found.push(numbers.map(([link, human, bot, unique]) => [link, human, bot, unique]))
    return found
  }

  async function count(text: string): Promise<number> {
    const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM ${sql.raw(text)}`.execute(
      storage.read.db,
    )
    return rows[0]?.n ?? 0
  }

  test('past the retention leave the totals of their days as they were', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.integer({ min: 1, max: 10 }), async (it, days) => {
        await store(storage, { ...it, purged: [] })
        const before = await answers()
        const now = (FIRST_DAY + 10) * DAY + 5
        const kept = [
          [1, days],
          [2, days],
        ] as const
        while (await purgeExpired(storage, kept, now));
        expect(await answers()).toEqual(before)
        expect(await count(`clicks WHERE time < ${(FIRST_DAY + 10 - days) * DAY}`)).toBe(0)
      }),
      { numRuns: 8 },
    )
  })

  test('of deleted links are deleted by one node at a time', async () => {
    const it = fc
      .sample(world, { numRuns: 50, seed: 4 })
      .reduce((a, b) => (b.clicks.length > a.clicks.length ? b : a))
    await store(storage, it)
    const [gone = 0, left = 0] = LINKS
    await sql`INSERT INTO gone_links (link_seq) VALUES (${gone})`.execute(storage.read.db)
    const all = await count(`clicks WHERE link = ${left}`)
    const maintenanceOf = () =>
      createMaintenance({
        storage,
        clock: { now: () => FIRST_DAY * DAY },
        deleteLinks: (seqs) => deleteLinks(storage, seqs),
        purgeExpired: (retention, now) => purgeExpired(storage, retention, now),
        sumDays: summingIn(storage),
      })
    const [one, other] = [maintenanceOf(), maintenanceOf()]
    expect(await count(`clicks WHERE link = ${gone}`)).toBeGreaterThan(0)
    while (one.due) await one.step()
    // The first one's round counts for both.
    await other.step()
    expect(other.due).toBe(false)
    for (const table of ['clicks', 'daily']) {
      expect(await count(`${table} WHERE link = ${gone}`)).toBe(0)
    }
    expect(await count(`clicks WHERE link = ${left}`)).toBe(all)
    expect(await count('gone_links')).toBe(0)
  })
})
