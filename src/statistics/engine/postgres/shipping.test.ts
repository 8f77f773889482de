import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import {
  postgresMissing,
  startPostgres,
  type TestPostgres,
} from '../../../../test/harness/postgres.ts'
import { makeNode, type TestClick, type TestNode } from '../../../clicks/testing/shared.ts'
import { openPostgres, SEQS_PER_WORKSPACE, type Storage } from '../../../platform/storage/index.ts'
import { MOMENTS } from '../testing/dying.ts'
import { openShipping } from './testing/shipper.ts'

const SHIPPER = join(import.meta.dir, 'testing/shipper.ts')
const NEW_YEAR = Date.parse('2027-01-01T00:00:00Z')

describe.skipIf(postgresMissing !== undefined)('shipping to PostgreSQL', () => {
  let server: TestPostgres
  let storage: Storage
  let nodes: TestNode[]
  let url: string

  beforeAll(async () => {
    server = await startPostgres({ durable: true })
  })
  afterAll(async () => {
    await server?.dispose()
  })
  beforeEach(async () => {
    url = await server.createDatabase()
    storage = await openPostgres({ url })
    nodes = []
    for (let i = 0; i < 3; i++) nodes.push(await makeNode(storage))
  })
  afterEach(async () => {
    for (const node of nodes) await node.dispose()
    await storage.close()
  })

  const clicks = (count: number, from: number, seed = 0): TestClick[] =>
    Array.from({ length: count }, (_, i) => ({
      link: SEQS_PER_WORKSPACE + 1 + ((i * 7 + seed) % 50),
      time: from + Math.floor(i / 5),
      visitor: `v${(i * 13 + seed) % 200}`,
      bot: i % 10 === 0,
    }))

  async function ship(node: TestNode): Promise<number> {
    const { shipping, close } = await openShipping(node.dataDir, url)
    let records = 0
    for (let complete = false; !complete; ) {
      const pass = await shipping.pass()
      records += pass.records
      complete = pass.complete
    }
    await close()
    return records
  }

  /** Clicks, and the sum of their times; the primary key says that their positions differ. */
  async function stored(): Promise<number[]> {
    const { rows } = await sql<{ all: number; times: number | null; bots: number }>`
      SELECT count(*) AS all, sum(time - ${NEW_YEAR}::bigint) AS times,
        count(*) FILTER (WHERE kind = 1) AS bots FROM clicks`.execute(storage.read.db)
    return rows.flatMap(({ all, times, bots }) => [all, times ?? 0, bots])
  }
  const expected = (all: readonly TestClick[]) => [
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

  test('two that ship one journal store each click once', async () => {
    const [node] = nodes as [TestNode]
    const all = clicks(1_000, NEW_YEAR)
    const [one, other] = [
      await openShipping(node.dataDir, url),
      await openShipping(node.dataDir, url),
    ]
    for (let at = 0; at < 1_000; at += 100) {
      node.click(...all.slice(at, at + 100))
      const passes = await Promise.all([one.shipping.pass(), other.shipping.pass()])
      const records = passes.reduce((sum, pass) => sum + pass.records, 0)
      expect(records === 0 || records === 100).toBe(true)
    }
    // The one that was too late reads the stored watermark.
    for (const { shipping } of [one, other, one, other]) await shipping.pass()
    expect(await stored()).toEqual(expected(all))
    expect(one.shipping.watermark).toEqual(other.shipping.watermark)
    await Promise.all([one.close(), other.close()])
  })

  test('shippers and PostgreSQL killed again and again: each click once', async () => {
    const all: TestClick[] = []
    const run = async (node: TestNode) => {
      for (const [round, moment] of MOMENTS.entries()) {
        let shipped = 0
        let wake = () => {}
        const child = Bun.spawn([process.execPath, SHIPPER, node.dataDir, url, moment], {
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
    for (let kills = 0; kills < 2; kills++) {
      await Bun.sleep(500)
      await server.stop('crash')
      await server.start()
    }
    await running
    await storage.close()
    storage = await openPostgres({ url })
    for (const node of nodes) while ((await ship(node)) > 0);
    expect(await stored()).toEqual(expected(all))
  }, 120_000)
})
