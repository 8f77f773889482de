import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import {
  postgresMissing,
  sharedPostgres,
  type TestPostgres,
} from '../../../test/harness/postgres.ts'
import type { LinkCounts } from '../../clicks/recount.ts'
import { addLinks, openTestStorage } from '../../clicks/testing/shared.ts'
import type { ScaledConfig } from '../../platform/config/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Forgotten } from '../../statistics/engine/types.ts'
import { forgetShared } from './forget-clicks.ts'
import { recountNodes } from './recount.ts'

const RIGHT: LinkCounts = { human: 2, bot: 1, unique: 2 }
const WRONG: LinkCounts = { human: 9, bot: 9, unique: 9 }

describe.skipIf(postgresMissing !== undefined)('on nodes', () => {
  let postgres: TestPostgres
  let storage: Storage
  let links: number[]

  beforeAll(async () => {
    postgres = await sharedPostgres()
  })
  beforeEach(async () => {
    storage = await openTestStorage(await postgres.createDatabase())
    links = await addLinks(storage, 1, 3)
    await sql`INSERT INTO nodes (id, made_at) VALUES ('nod_a', 0), ('nod_b', 0)`.execute(
      storage.read.db,
    )
    await sql`INSERT INTO node_watermarks (node_no, segment, "offset", shipped_segment,
      shipped_offset) VALUES (1, 3, 50, 3, 50), (2, 7, 10, 7, 10)`.execute(storage.read.db)
    for (const seq of links) {
      await setCounters(seq, RIGHT)
      await sql`INSERT INTO daily (workspace, link, day, kind, clicks, uniques, workspace_uniques)
        VALUES (1, ${seq}, 20000, 0, 2, 2, 2), (1, ${seq}, 20000, 1, 1, 1, 1)`.execute(
        storage.read.db,
      )
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

  async function countersOf(seq: number): Promise<LinkCounts | undefined> {
    const { rows } = await sql<LinkCounts>`SELECT human, bot, unique_visitors AS "unique"
      FROM link_counters WHERE link_seq = ${seq}`.execute(storage.read.db)
    return rows[0]
  }

  /** Counts, or stores, as far as a node's journal reaches. */
  const progress = (column: 'offset' | 'shipped_offset', offset: number) =>
    sql`UPDATE node_watermarks SET ${sql.ref(column)} = ${offset} WHERE node_no = 2`.execute(
      storage.read.db,
    )

  describe('a recount', () => {
    const run = () =>
      recountNodes({ clickhouse: null } as ScaledConfig, storage, [0, Number.MAX_SAFE_INTEGER])

    test('repairs what is wrong, and nothing else', async () => {
      const [, wrong = 0] = links
      await setCounters(wrong, WRONG)
      expect(await run()).toEqual({
        links: 3,
        older: 0,
        since: 0,
        differences: [{ linkSeq: wrong, counted: WRONG, total: 18, clicks: RIGHT }],
      })
      expect(await countersOf(wrong)).toEqual(RIGHT)
    }, 60_000)

    test('is refused while a node has counted clicks that it has not stored', async () => {
      await setCounters(links[0] as number, WRONG)
      await progress('offset', 60)
      await expect(run()).rejects.toMatchObject({ code: 'NODES_BEHIND' })
      expect(await countersOf(links[0] as number)).toEqual(WRONG)
    })

    test('repairs nothing when a node goes on in the meantime', async () => {
      await setCounters(links[0] as number, WRONG)
      const running = run()
      // Its store had a click more than it had reported.
      void progress('shipped_offset', 20)
      await expect(running).rejects.toMatchObject({ code: 'NODES_BEHIND' })
      expect(await countersOf(links[0] as number)).toEqual(WRONG)
    }, 60_000)
  })

  describe('counters of a link whose clicks are deleted', () => {
    const left = (counts: LinkCounts): Forgotten => ({ segment: 0, offset: 0, since: 0, ...counts })

    test('get the numbers of the remaining clicks', async () => {
      const [link = 0, other = 0] = links
      await setCounters(other, WRONG)
      const forget = forgetShared(storage, async () => left({ human: 1, bot: 0, unique: 1 }))
      expect(await forget(link, 0)).toBe(true)
      expect(await countersOf(link)).toEqual({ human: 1, bot: 0, unique: 1 })
      expect(await countersOf(other)).toEqual(WRONG)
    }, 60_000)

    test('are compared again when the link is clicked in the meantime', async () => {
      const [link = 0] = links
      let human = 0
      const forget = forgetShared(storage, async () => {
        // Counted first, and stored later.
        if (human < 3) await setCounters(link, { human: 5 + human, bot: 0, unique: 1 })
        human = Math.min(human + 1, 4)
        return left({ human, bot: 0, unique: 1 })
      })
      expect(await forget(link, 0)).toBe(true)
      expect(await countersOf(link)).toEqual({ human: 4, bot: 0, unique: 1 })
    }, 60_000)

    test('stay while a node has counted clicks that it has not stored', async () => {
      const [link = 0] = links
      await setCounters(link, { human: 3, bot: 0, unique: 1 })
      await progress('offset', 60)
      let asked = 0
      let seen: LinkCounts | undefined
      const forget = forgetShared(storage, async () => {
        if (++asked === 4) {
          seen = await countersOf(link)
          await progress('shipped_offset', 60)
        }
        return left({ human: asked < 4 ? 1 : 3, bot: 0, unique: 1 })
      })
      expect(await forget(link, 0)).toBe(true)
      expect(seen).toEqual({ human: 3, bot: 0, unique: 1 })
      expect(await countersOf(link)).toEqual({ human: 3, bot: 0, unique: 1 })
    }, 60_000)
  })
})
