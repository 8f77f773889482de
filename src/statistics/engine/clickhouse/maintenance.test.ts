import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../../test/harness/clickhouse.ts'
import { FIRST_DAY, LINKS, totalsOf, world } from '../../reports/testing/world.ts'
import type { AskableReports, Selection } from '../../types.ts'
import { type ClickHouse, openClickHouse } from './client.ts'
import { purgeExpired } from './maintenance.ts'
import { migrateClickHouse } from './migrate.ts'
import { createClickHouseReports, linkNumbers } from './reports.ts'
import { store } from './testing/world.ts'

const DAY = 86_400_000

describe.skipIf(!hasClickHouse)('clicks past their retention', () => {
  let server: Server
  let clickHouse: ClickHouse
  let reports: AskableReports

  beforeAll(async () => {
    server = await startClickHouse()
    clickHouse = openClickHouse(server.url('upkeep'))
    await migrateClickHouse(clickHouse)
    reports = createClickHouseReports(clickHouse)
  })
  afterAll(async () => {
    await clickHouse?.close()
    await server?.stop()
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
    }
    found.push(
      await Array.fromAsync(linkNumbers(clickHouse, [0, Number.MAX_SAFE_INTEGER])).then((all) =>
        all.map(([link, human, bot, unique]) => [link, human, bot, unique]),
      ),
    )
    return found
  }

  test('the totals of its days stay what they were', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.integer({ min: 1, max: 10 }), async (it, days) => {
        await store(clickHouse, it)
        const before = await answers()
        const now = (FIRST_DAY + 10) * DAY + 5
        const kept = [
          [1, days],
          [2, days],
        ] as const
        while (await purgeExpired(clickHouse, kept, now));
        expect(await answers()).toEqual(before)
        const left = await clickHouse.rows(
          `SELECT count() FROM clicks WHERE time < ${(FIRST_DAY + 10 - days) * DAY}`,
        )
        expect(left).toEqual([['0']])
      }),
      { numRuns: 6 },
    )
  }, 120_000)

  test('a round that was interrupted after any step is finished by the next', async () => {
    const worlds = fc.sample(world, { numRuns: 50, seed: 4 })
    const it = worlds.reduce((a, b) => (b.clicks.length > a.clicks.length ? b : a))
    const kept = [
      [1, 3],
      [2, 3],
    ] as const
    const now = (FIRST_DAY + 10) * DAY
    for (let steps = 0; steps < 3; steps++) {
      await store(clickHouse, it)
      const before = await answers()
      let left = steps
      const dying: ClickHouse = {
        ...clickHouse,
        async command(statement, settings) {
          if (left-- === 0) throw new Error('killed')
          await clickHouse.command(statement, settings)
        },
      }
      await purgeExpired(dying, kept, now).catch(() => {})
      expect(await answers()).toEqual(before)
      while (await purgeExpired(clickHouse, kept, now));
      expect(await answers()).toEqual(before)
    }
  })
})
