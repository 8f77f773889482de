import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  hasClickHouse,
  type ClickHouse as Server,
  startClickHouse,
} from '../../../../test/harness/clickhouse.ts'
import { makeNode, type TestClick, type TestNode } from '../../../clicks/testing/shared.ts'
import { nodeFile } from '../../../platform/cluster/node.ts'
import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { NOTHING_SHIPPED } from '../shared/shipping.ts'
import { MOMENTS } from '../testing/dying.ts'
import { type ClickHouse, openClickHouse } from './client.ts'
import { migrateClickHouse } from './migrate.ts'
import { openShipping } from './testing/shipper.ts'

const SHIPPER = join(import.meta.dir, 'testing/shipper.ts')
const NEW_YEAR = Date.parse('2027-01-01T00:00:00Z')

describe.skipIf(!hasClickHouse)('shipping to ClickHouse', () => {
  let server: Server
  let clickHouse: ClickHouse
  let nodes: TestNode[]
  let databases = 0
  let url: () => string

  beforeAll(async () => {
    server = await startClickHouse()
  })
  afterAll(async () => {
    await server?.stop()
  })
  beforeEach(async () => {
    const database = `shipping_${++databases}`
    url = () => server.url(database)
    clickHouse = openClickHouse(url())
    await migrateClickHouse(clickHouse)
    nodes = []
    for (let no = 1; no <= 4; no++) {
      const node = await makeNode({ write: async () => no as never })
      nodes.push(node)
    }
  })
  afterEach(async () => {
    for (const node of nodes) await node.dispose()
    await clickHouse.close()
  })

  const clicks = (count: number, from: number, seed = 0): TestClick[] =>
    Array.from({ length: count }, (_, i) => ({
      link: SEQS_PER_WORKSPACE + 1 + ((i * 7 + seed) % 50),
      time: from + Math.floor(i / 5),
      visitor: `v${(i * 13 + seed) % 200}`,
      bot: i % 10 === 0,
    }))

  async function ship(node: TestNode): Promise<number> {
    const { shipping, close } = await openShipping(node.dataDir, url())
    let records = 0
    for (let complete = false; !complete; ) {
      const pass = await shipping.pass()
      records += pass.records
      complete = pass.complete
    }
    await close()
    return records
  }

  /** Clicks, different positions among them, and the sum of their times. */
  async function stored() {
    const [row] = await clickHouse.rows(
      `SELECT count(), uniqExact(time, n), sum(time - ${NEW_YEAR}), countIf(kind = 1)
        FROM clicks`,
    )
    return (row as unknown[]).map(Number)
  }
  const expected = (all: readonly TestClick[]) => [
    all.length,
    all.length,
    all.reduce((sum, { time }) => sum + time - NEW_YEAR, 0),
    all.filter(({ bot }) => bot).length,
  ]

  test('each click arrives once, with a place of its own', async () => {
    const all: TestClick[] = []
    for (const node of nodes) {
      for (let round = 0; round < 3; round++) {
        // The same milliseconds on all nodes, and again in the next batch.
        const some = clicks(500, NEW_YEAR - 50 + round * 3)
        node.click(...some)
        all.push(...some)
        expect(await ship(node)).toBe(500)
        expect(await ship(node)).toBe(0)
      }
    }
    expect(await stored()).toEqual(expected(all))
  })

  test('an interrupted batch is recognized after any time', async () => {
    const [node] = nodes as [TestNode]
    const all = clicks(1_000, NEW_YEAR - 100)
    node.click(...all)
    const file = join(node.dataDir, 'shipping')
    await ship(node)
    const { at } = JSON.parse(readFileSync(file, 'utf8'))
    // Its tokens, its last rows, but not its first ones are gone.
    await clickHouse.command(
      'ALTER TABLE clicks MODIFY SETTING non_replicated_deduplication_window = 0',
    )
    const begun = JSON.stringify({ ...NOTHING_SHIPPED, pending: at })
    writeFileSync(file, begun)
    // More clicks have arrived, which aren't part of that batch.
    const more = clicks(100, NEW_YEAR + 500)
    node.click(...more)
    expect(await ship(node)).toBe(1_100)
    expect(await stored()).toEqual(expected([...all, ...more]))
    // One month of it had not been stored.
    await clickHouse.command('ALTER TABLE clicks DROP PARTITION 202612')
    writeFileSync(file, begun)
    expect(await ship(node)).toBe(1_100)
    const [found] = await stored()
    // What came later was shipped before, and is another batch now.
    expect(found).toBe(1_200)
  })

  test('shippers and ClickHouse killed again and again: each click once', async () => {
    const all: TestClick[] = []
    const run = async (node: TestNode) => {
      for (const [round, moment] of [...MOMENTS, ...MOMENTS].entries()) {
        let shipped = 0
        let wake = () => {}
        const child = Bun.spawn([process.execPath, SHIPPER, node.dataDir, url(), moment], {
          stdio: ['ignore', 'inherit', 'inherit'],
          ipc() {
            shipped++
            wake()
          },
        })
        for (let part = 0; child.signalCode === null; part++) {
          const from = NEW_YEAR - 200 + round * 80 + part * 20
          const some = clicks(300, from, round + part + node.no)
          const next = new Promise<void>((resolve) => {
            wake = resolve
          })
          node.click(...some)
          all.push(...some)
          // It has shipped some, or has killed itself.
          await Promise.race([next, child.exited])
        }
        expect(child.signalCode).toBe('SIGKILL')
        expect(shipped).toBeGreaterThan(0)
      }
    }
    const running = Promise.all(nodes.map(run))
    for (let kills = 0; kills < 3; kills++) {
      await Bun.sleep(1_000)
      await server.kill()
      await server.restart()
    }
    await running
    await clickHouse.close()
    clickHouse = openClickHouse(url())
    for (const node of nodes) while ((await ship(node)) > 0);
    expect(await stored()).toEqual(expected(all))
  }, 120_000)

  test('one process ships a journal at a time', async () => {
    const [node] = nodes as [TestNode]
    const first = await openShipping(node.dataDir, url())
    await expect(openShipping(node.dataDir, url())).rejects.toThrow('Could not set lock')
    await first.close()
    await (await openShipping(node.dataDir, url())).close()
  })

  test('a damaged file of the node is an error', async () => {
    const [node] = nodes as [TestNode]
    writeFileSync(nodeFile(node.dataDir), 'nonsense')
    await expect(openShipping(node.dataDir, url())).rejects.toThrow()
  })
})
