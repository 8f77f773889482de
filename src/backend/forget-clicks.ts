import { sql } from 'kysely'
import { type Difference, type NodeProgress, recount } from '../clicks/recount.ts'
import { dayOf } from '../clicks/visitors.ts'
import type { Forgotten } from '../statistics/engine/types.ts'
import { databaseFiles, openSqlite, type Sql, type Storage } from '../storage/index.ts'
import { progressOfNodes, repairIn } from './recount-sources.ts'

/** What it works with, on one machine and on many. */
interface ForgetOptions {
  storage: Pick<Storage, 'read'>
  /** Asks the statistics process. */
  forget: (linkSeq: number, before: number) => Promise<Forgotten>
  progress: (stored: Forgotten) => Promise<NodeProgress[]>
  /** Runs a write where the counters are. */
  write: <T>(work: (db: Sql['db']) => Promise<T>) => Promise<T>
  waitMs: number
}

/** Looks for a moment in which counters and stored clicks agree, at most. */
const LOOKS = 20

/**
 * Deletes a link's clicks before a time, and makes its counters what is left. All of it says how
 * things shall be, not how they shall change, so it may be repeated after any failure. False: clicks
 * came all the time; to be tried again.
 */
function createForgetClicks({ storage, forget, progress, write, waitMs }: ForgetOptions) {
  return async (linkSeq: number, before: number): Promise<boolean> => {
    const { behind, moving } = await recount({
      storage,
      range: [linkSeq, linkSeq + 1],
      looks: LOOKS,
      wait: () => Bun.sleep(waitMs),
      progress: async () => progress(await forget(linkSeq, before)),
      // Anew with each look: clicks that waited in a journal have been stored meanwhile.
      async stored() {
        const { since, ...numbers } = await forget(linkSeq, before)
        return { since, links: new Map([[linkSeq, numbers]]) }
      },
      repair: (difference: Difference) => write((db) => repairIn(db, difference)),
    })
    await write((db) => settle(db, linkSeq, before))
    return behind.length === 0 && moving === 0
  }
}

/** What was counted alone has no dates: it goes where the last click was before that time. */
async function settle(db: Sql['db'], linkSeq: number, before: number): Promise<void> {
  const { rows } = await sql`UPDATE link_counters SET total = total - bare_human - bare_bot,
      human = human - bare_human, bot = bot - bare_bot,
      unique_visitors = unique_visitors - bare_unique,
      bare_human = 0, bare_bot = 0, bare_unique = 0, last_clicked_at = NULL
    WHERE link_seq = ${linkSeq} AND last_clicked_at < ${before} RETURNING 1`.execute(db)
  // Who comes again counts again.
  const days = rows.length > 0 ? dayOf(before) + 1 : dayOf(before)
  await sql`DELETE FROM link_visitors WHERE link_seq = ${linkSeq} AND day < ${days}`.execute(db)
}

/** On one machine. */
export function forgetEmbedded(
  dataDir: string,
  storage: Pick<Storage, 'read'>,
  forget: ForgetOptions['forget'],
) {
  return createForgetClicks({
    storage,
    forget,
    async progress({ segment, offset }) {
      const [counted = { segment: 0, offset: 0 }] = await storage.read.db
        .selectFrom('journal_watermark')
        .select(['segment', 'offset'])
        .execute()
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
    // Nodes tell each second how far they have stored.
    waitMs: 1_200,
  })
}
