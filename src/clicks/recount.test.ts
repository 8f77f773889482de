import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { postgresMissing, sharedPostgres, type TestPostgres } from '../../test/harness/postgres.ts'
import type { Storage } from '../platform/storage/index.ts'
import { progressOfNodes, repairIn } from '../server/backend/recount-sources.ts'
import { type LinkCounts, recount } from './recount.ts'
import { addLinks, openTestStorage } from './testing/shared.ts'

describe.skipIf(postgresMissing !== undefined)('a recount', () => {
  let postgres: TestPostgres
  let storage: Storage
  let links: number[]
  let clicks: Map<number, LinkCounts>

  beforeAll(async () => {
    postgres = await sharedPostgres()
  })
  beforeEach(async () => {
    storage = await openTestStorage(await postgres.createDatabase())
    links = await addLinks(storage, 1, 3)
    clicks = new Map()
    await sql`INSERT INTO nodes (id, made_at) VALUES ('nod_a', 0), ('nod_b', 0)`.execute(
      storage.read.db,
    )
    await sql`INSERT INTO node_watermarks (node_no, segment, "offset", shipped_segment,
      shipped_offset) VALUES (1, 3, 50, 3, 50), (2, 7, 10, 7, 10)`.execute(storage.read.db)
    for (const [i, seq] of links.entries()) {
      await setCounters(seq, { human: i, bot: 1, unique: i })
      clicks.set(seq, { human: i, bot: 1, unique: i })
    }
  })
  afterEach(async () => {
    await storage.close()
  })

  const setCounters = (seq: number, { human, bot, unique }: LinkCounts) =>
    sql`INSERT INTO link_counters (link_seq, workspace_no, total, human, bot, unique_visitors)
      VALUES (${seq}, 1, ${human + bot}, ${human}, ${bot}, ${unique})
      ON CONFLICT (link_seq) DO UPDATE SET total = excluded.total, human = excluded.human,
        bot = excluded.bot, unique_visitors = excluded.unique_visitors`.execute(storage.read.db)

  const run = (
    wait: () => Promise<void> = async () => {},
    beforeRepair: () => Promise<void> = async () => {},
  ) =>
    recount({
      storage,
      range: [0, Number.MAX_SAFE_INTEGER],
      progress: () => progressOfNodes(storage),
      stored: async () => ({ since: 0, links: new Map(clicks) }),
      async repair(difference) {
        await beforeRepair()
        return storage.write((tx) => repairIn(tx.db, difference))
      },
      wait,
      looks: 3,
    })

  test('finds nothing where nothing is wrong', async () => {
    expect(await run()).toEqual({
      links: 3,
      older: 0,
      moving: 0,
      since: 0,
      differences: [],
      behind: [],
    })
  })

  test('repairs what is wrong, and nothing else', async () => {
    const [, wrong = 0] = links
    await setCounters(wrong, { human: 9, bot: 9, unique: 9 })
    expect((await run()).differences).toEqual([
      {
        linkSeq: wrong,
        counted: { human: 9, bot: 9, unique: 9 },
        total: 18,
        clicks: { human: 1, bot: 1, unique: 1 },
      },
    ])
    expect((await run()).differences).toEqual([])
  })

  test('skips links that are clicked in the meantime', async () => {
    const [, clicked = 0] = links
    let human = 1
    const result = await run(async () => {
      human++
      await setCounters(clicked, { human, bot: 1, unique: 1 })
    })
    expect(result).toMatchObject({ moving: 1, differences: [] })
  })

  test('compares a link again that is clicked before its repair', async () => {
    const [, wrong = 0] = links
    await setCounters(wrong, { human: 8, bot: 1, unique: 1 })
    const result = await run(undefined, async () => {
      await setCounters(wrong, { human: 9, bot: 1, unique: 1 })
      clicks.set(wrong, { human: 2, bot: 1, unique: 1 })
    })
    expect(result).toMatchObject({ moving: 0, differences: [{ linkSeq: wrong }] })
    expect(await run()).toMatchObject({ moving: 0, differences: [] })
  })

  test('compares nothing while a node has counted clicks that it has not stored', async () => {
    await sql`UPDATE node_watermarks SET "offset" = 60 WHERE node_no = 2`.execute(storage.read.db)
    await setCounters(links[0] as number, { human: 5, bot: 1, unique: 0 })
    expect(await run()).toMatchObject({ behind: ['nod_b'], differences: [] })
    // The node catches up.
    const result = await run(async () => {
      await sql`UPDATE node_watermarks SET shipped_offset = 60 WHERE node_no = 2`.execute(
        storage.read.db,
      )
    })
    expect(result).toMatchObject({ behind: [], differences: [{ linkSeq: links[0] }] })
  })
  test('keeps its results when steady visits delay the stores', async () => {
    const [wrong = 0, clicked = 0] = links
    await setCounters(wrong, { human: 9, bot: 9, unique: 9 })
    let human = 1
    const result = await run(async () => {
      human++
      await setCounters(clicked, { human, bot: 1, unique: 1 })
      // From the second pass on, counted clicks are not stored yet.
      if (human > 2) {
        await sql`UPDATE node_watermarks SET "offset" = "offset" + 10`.execute(storage.read.db)
      }
    })
    expect(result).toMatchObject({ behind: [], moving: 1, differences: [{ linkSeq: wrong }] })
  })
})
