import { sql } from 'kysely'
import { readWatermark } from '../../clicks/index.ts'
import {
  compareCounts,
  isBehind,
  type NodeProgress,
  progressOfNodes,
  repairIn,
} from '../../clicks/recount.ts'
import { dayOf } from '../../clicks/visitors.ts'
import { databaseFiles, openSqlite, type Sql, type Storage } from '../../platform/storage/index.ts'
import type { Forgotten } from '../../statistics/engine/types.ts'

/** Dependencies, for one machine or many. */
interface ForgetOptions {
  storage: Pick<Storage, 'read'>
  /** Calls the statistics process. */
  forget: (linkSeq: number, before: number) => Promise<Forgotten>
  progress: (stored: Forgotten) => Promise<NodeProgress[]>
  /** Runs a write in the database of the counters. */
  write: <T>(work: (db: Sql['db']) => Promise<T>) => Promise<T>
  waitMs: number
}

/** The most attempts to find a moment at which counters and stored clicks agree. */
const LOOKS = 20

/**
 * Deletes a link's clicks before a time, and sets its counters to the remaining ones. All steps are
 * idempotent, so it can be retried after any failure. False: clicks kept arriving; to be retried.
 */
function createForgetClicks(options: ForgetOptions) {
  return async (linkSeq: number, before: number): Promise<boolean> => {
    const isDone = await agree(options, linkSeq, before)
    await options.write((db) => settle(db, linkSeq, before))
    return isDone
  }
}

/**
 * Makes a link's counters agree with its stored clicks, while clicks arrive. Both follow the journal at
 * their own pace, so they are read twice: once every node has counted and stored everything that either
 * side had at the first time, and if the numbers are still the same, both sides have the same clicks.
 */
async function agree(
  { storage, forget, progress, write, waitMs }: ForgetOptions,
  linkSeq: number,
  before: number,
): Promise<boolean> {
  async function look() {
    // In each attempt: waiting clicks of a journal have been stored in the meantime.
    const forgotten = await forget(linkSeq, before)
    const { since, human, bot, unique } = forgotten
    const stored = { since, links: new Map([[linkSeq, { human, bot, unique }]]) }
    const { differences } = await compareCounts(storage, [linkSeq, linkSeq + 1], stored)
    // Read after the numbers, to be on the safe side.
    return { difference: differences[0] ?? null, needed: await progress(forgotten) }
  }

  let last = await look()
  for (let looks = 0; looks < LOOKS; looks++) {
    await Bun.sleep(waitMs)
    // The positions stay until they are reached, so that new clicks don't postpone the comparison.
    if (isBehind(last.needed, await progress(await forget(linkSeq, before)))) continue
    const now = await look()
    const { difference } = now
    if (difference === null) return true
    const isStill = Bun.deepEquals(difference, last.difference)
    if (isStill && (await write((db) => repairIn(db, difference)))) return true
    last = now
  }
  return false
}

/** Clicks that are only counted have no dates: all go if the last one is before that time. */
async function settle(db: Sql['db'], linkSeq: number, before: number): Promise<void> {
  const { rows } = await sql`UPDATE link_counters SET total = total - bare_human - bare_bot,
      human = human - bare_human, bot = bot - bare_bot,
      unique_visitors = unique_visitors - bare_unique,
      bare_human = 0, bare_bot = 0, bare_unique = 0, last_clicked_at = NULL
    WHERE link_seq = ${linkSeq} AND last_clicked_at < ${before} RETURNING 1`.execute(db)
  // Visitors who return are counted again.
  const days = rows.length > 0 ? dayOf(before) + 1 : dayOf(before)
  await sql`DELETE FROM link_visitors WHERE link_seq = ${linkSeq} AND day < ${days}`.execute(db)
}

/** On a single machine. */
export function forgetEmbedded(
  dataDir: string,
  storage: Pick<Storage, 'read'>,
  forget: ForgetOptions['forget'],
) {
  return createForgetClicks({
    storage,
    forget,
    async progress({ segment, offset }) {
      const counted = await readWatermark(storage.read, 0)
      return [{ node: dataDir, counted, stored: { segment, offset } }]
    },
    async write(work) {
      const counters = openSqlite(databaseFiles(dataDir).counters)
      try {
        return await work(counters.db)
      } finally {
        counters.close()
      }
    },
    waitMs: 300,
  })
}

/** On many nodes. */
export function forgetShared(
  storage: Pick<Storage, 'read' | 'write'>,
  forget: ForgetOptions['forget'],
) {
  return createForgetClicks({
    storage,
    forget,
    progress: () => progressOfNodes(storage),
    write: (work) => storage.write((tx) => work(tx.db)),
    // Nodes report every second how far they have stored.
    waitMs: 1_200,
  })
}
