import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { postgresMissing, sharedPostgres, type TestPostgres } from '../../test/harness/postgres.ts'
import { readNode } from '../platform/cluster/node.ts'
import type { Storage } from '../platform/storage/index.ts'
import { type ClickCounter, createClickCounter } from './counting.ts'
import { readCounted } from './months.ts'
import { createPostgresCounters } from './postgres-counters.ts'
import { readJournal } from './segment-reader.ts'
import { journalDirectory } from './segments.ts'
import {
  addLinks,
  makeNode,
  openTestStorage,
  type TestClick,
  type TestNode,
} from './testing/shared.ts'

const WORKER = join(import.meta.dir, 'testing/shared-worker-main.ts')
const DAY = 86_400_000
const NODES = 4

describe.skipIf(postgresMissing !== undefined)('counters that nodes share', () => {
  let postgres: TestPostgres
  let url: string
  let storage: Storage
  let nodes: TestNode[]
  let now = 20_000 * DAY + 1_000
  const clock = { now: () => now }

  beforeAll(async () => {
    postgres = await sharedPostgres()
  })
  beforeEach(async () => {
    now = 20_000 * DAY + 1_000
    url = await postgres.createDatabase()
    storage = await openTestStorage(url)
    nodes = []
    for (let i = 0; i < NODES; i++) nodes.push(await makeNode(storage))
  })
  afterEach(async () => {
    for (const node of nodes) await node.dispose()
    await storage.close()
  })
  /** A plan with a limit; others have none. */
  const limits = { small: 150 }
  const open = (node: TestNode): ClickCounter =>
    createClickCounter({
      directory: journalDirectory(node.dataDir),
      store: createPostgresCounters({
        storage: { read: storage.read, write: storage.write, close: async () => {} },
        nodeNo: node.no,
        limits,
      }),
      clock,
    })

  async function countAll(): Promise<void> {
    for (const node of nodes) {
      const work = open(node)
      while ((await work.pass()).more);
      await work.close()
    }
  }

  async function counters() {
    const { rows } = await sql<{
      link_seq: number
      total: number
      human: number
      bot: number
      unique_visitors: number
      last_clicked_at: number | null
    }>`SELECT link_seq, total, human, bot, unique_visitors, last_clicked_at
      FROM link_counters ORDER BY link_seq`.execute(storage.read.db)
    return rows
  }

  test('each node has its own number, and keeps it', async () => {
    expect(new Set(nodes.map(({ no }) => no)).size).toBe(NODES)
    for (const { dataDir, id, no } of nodes) expect(readNode(dataDir)).toEqual({ id, no })
  })

  test('a visitor is unique once a day across nodes', async () => {
    const [link = 0, other = 0] = await addLinks(storage, 1, 2)
    for (const node of nodes) {
      node.click(
        { link, time: now, visitor: 'anna' },
        { link, time: now + 1, visitor: 'anna' },
        { link, time: now + 2, visitor: `only ${node.no}` },
        { link, time: now + 3, visitor: '' },
        { link, time: now + 4, visitor: 'anna', bot: true },
        { link: other, time: now, visitor: 'anna' },
        { link, time: now + DAY, visitor: 'anna' },
      )
    }
    now += DAY
    await countAll()
    expect(await counters()).toEqual([
      {
        link_seq: link,
        total: 24,
        human: 20,
        bot: 4,
        unique_visitors: 6,
        last_clicked_at: now,
      },
      {
        link_seq: other,
        total: 4,
        human: 4,
        bot: 0,
        unique_visitors: 1,
        last_clicked_at: now - DAY,
      },
    ])
  })

  test('workers killed again and again count each click once, without deadlocks', async () => {
    // The workers have their own clock, by which they delete the visitors of past days.
    now = Math.floor(Date.now() / DAY) * DAY
    const links = await addLinks(storage, 1, 40)
    const limited = await addLinks(storage, 2, 3, 'small')
    const expected = new Map<number, { human: number; bot: number; visitors: Set<string> }>()
    const journaled = (node: TestNode, count: number, seed: number) => {
      const clicks: TestClick[] = []
      for (let i = 0; i < count; i++) {
        // Most links and visitors occur on all nodes.
        const link = links[(i * 7 + seed) % links.length] as number
        const visitor = `v${(i * 13 + seed) % 900}`
        const bot = i % 10 === 0
        clicks.push({ link, time: now + i, visitor, bot })
        const of = expected.get(link) ?? { human: 0, bot: 0, visitors: new Set() }
        expected.set(link, of)
        if (bot) of.bot++
        else {
          of.human++
          of.visitors.add(visitor)
        }
      }
      for (const link of limited) clicks.splice(count / 2, 0, { link, time: now, visitor: 'v' })
      node.click(...clicks)
    }
    const run = async (node: TestNode) => {
      for (let round = 0; round < 5; round++) {
        const child = Bun.spawn(
          [process.execPath, WORKER, node.dataDir, url, JSON.stringify(limits)],
          {
            stdio: ['ignore', 'inherit', 'inherit'],
            ipc() {},
          },
        )
        for (let part = 0; part < 4; part++) {
          journaled(node, 500, round * 31 + part * 7 + node.no)
          child.send({ kind: 'wake' })
          await Bun.sleep(20 + ((round * 17 + node.no * 29 + part * 13) % 60))
        }
        child.kill('SIGKILL')
        await child.exited
      }
    }
    await Promise.all(nodes.map(run))
    await countAll()
    const all = await counters()
    const found = all.filter(({ link_seq }) => links.includes(link_seq))
    expect(found.map(({ link_seq, human, bot }) => [link_seq, human, bot])).toEqual(
      [...expected].sort(([a], [b]) => a - b).map(([seq, { human, bot }]) => [seq, human, bot]),
    )
    expect(found.map(({ unique_visitors }) => unique_visitors)).toEqual(
      [...expected].sort(([a], [b]) => a - b).map(([, { visitors }]) => visitors.size),
    )
    expect(found.reduce((sum, { total }) => sum + total, 0)).toBe(NODES * 5 * 4 * 500)
    // Of the workspace with a limit exactly that many are counted, and the same ones are stored.
    const few = all.filter(({ link_seq }) => limited.includes(link_seq))
    expect(few.reduce((sum, { total }) => sum + total, 0)).toBe(limits.small)
    const stored = new Map<number, number>(limited.map((link) => [link, 0]))
    for (const { dataDir, no } of nodes) {
      const counted = await readCounted(storage.read, no)
      readJournal(
        journalDirectory(dataDir),
        { segment: 0, offset: 0 },
        () => true,
        (record, at) => {
          const link = record[2]
          if (stored.has(link) && counted.includes(record, at))
            stored.set(link, (stored.get(link) ?? 0) + 1)
        },
      )
    }
    expect([...stored]).toEqual(few.map(({ link_seq, total }) => [link_seq, total]))
  })

  test('gives every link a row, and deletes those of purged links', async () => {
    const [a = 0, b = 0, c = 0] = await addLinks(storage, 1, 3)
    await countAll()
    expect((await counters()).map(({ link_seq }) => link_seq)).toEqual([a, b, c])
    await sql`DELETE FROM links WHERE seq = ${b}`.execute(storage.read.db)
    const work = open(nodes[0] as TestNode)
    work.notice({ changedLinks: [a, b] })
    await work.pass()
    expect((await counters()).map(({ link_seq }) => link_seq)).toEqual([a, c])
    // A late click doesn't bring it back.
    nodes[1]?.click({ link: b, time: now, visitor: 'x' })
    await countAll()
    expect((await counters()).map(({ link_seq }) => link_seq)).toEqual([a, c])
    const { rows } = await sql`SELECT link_seq FROM gone_links`.execute(storage.read.db)
    expect(rows).toEqual([{ link_seq: b }])
  })

  test('copies the imported clicks of new and of changed links', async () => {
    const [a = 0, b = 0] = await addLinks(storage, 1, 2)
    const set = (seq: number, clicks: number) =>
      sql`UPDATE links SET imported_clicks = ${clicks} WHERE seq = ${seq}`.execute(storage.read.db)
    await set(a, 3)
    nodes[0]?.click({ link: b, time: now, visitor: 'x' })
    await countAll()
    await set(b, 5)
    const work = open(nodes[0] as TestNode)
    work.notice({ changedLinks: [b, a] })
    await work.pass()
    const { rows } = await sql<{ imported: number }>`
      SELECT imported FROM link_counters ORDER BY link_seq`.execute(storage.read.db)
    expect(rows).toEqual([{ imported: 3 }, { imported: 5 }])
  })

  test('deletes the visitors of past days', async () => {
    const [link = 0] = await addLinks(storage, 1, 1)
    for (let day = 0; day < 4; day++) {
      nodes[0]?.click({ link, time: now, visitor: 'anna' })
      // A lease lasts some seconds by PostgreSQL's clock.
      await sql`UPDATE leases SET until = 0`.execute(storage.read.db)
      await countAll()
      now += DAY
    }
    const { rows } = await sql<{ day: number }>`SELECT day FROM link_visitors ORDER BY day`.execute(
      storage.read.db,
    )
    expect(rows.map(({ day }) => day)).toEqual([20_001, 20_002, 20_003])
    expect(await counters()).toMatchObject([{ human: 4, unique_visitors: 4 }])
  })

  test('a clock that was days ahead stores no time in the future', async () => {
    const [link = 0] = await addLinks(storage, 1, 1)
    now += 3 * DAY
    nodes[0]?.click({ link, time: now, visitor: 'a' })
    await countAll()
    now -= 3 * DAY
    nodes[0]?.click({ link, time: now, visitor: 'b' })
    await countAll()
    expect(await counters()).toMatchObject([{ human: 2, last_clicked_at: now }])
  })
})
