import { sql } from 'kysely'
import { NONCE_BYTES, seal, unseal } from '../lib/base/seal.ts'
import type { Storage } from '../platform/storage/index.ts'
import { CHECK_MS, dayOf, Salts, type Visitors, type VisitorsOptions } from './visitors.ts'

/** How often reading salts is retried after a failure. */
const RETRY_MS = 10_000

interface SharedVisitorsOptions extends VisitorsOptions {
  storage: Pick<Storage, 'read' | 'write'>
  /** 32 bytes that all nodes have but the database doesn't. */
  key: Uint8Array
}

/** The salts were encrypted with another key: this node has another secret than the others. */
export class OtherSecret extends Error {
  override name = 'OtherSecret'
}

/**
 * Like `openVisitors`, with salts shared by all nodes. They are stored a day ahead, so that no
 * visit waits for the database at midnight. If the database is down so long that a day begins
 * without its salt, the node makes its own, and a visitor of several nodes counts several times
 * until the database is back.
 * @throws OtherSecret
 */
export async function openSharedVisitors(options: SharedVisitorsOptions) {
  const { storage, clock, logger } = options
  const salts = new Salts(options)
  let timer: Timer | undefined
  let isClosed = false

  async function refresh(): Promise<void> {
    const today = dayOf(clock.now())
    for (const day of [today, today + 1]) {
      salts.set(day, await agree(options, day, salts.propose(day)))
    }
    salts.destroyOld(clock.now())
    salts.save()
    await storage.write(async (tx) => {
      await sql`DELETE FROM visitor_salts WHERE day < ${today - 1}`.execute(tx.db)
    })
  }

  async function check(isFirst: boolean): Promise<void> {
    let nextMs = CHECK_MS
    try {
      await refresh()
    } catch (err) {
      if (isFirst && err instanceof OtherSecret) throw err
      nextMs = RETRY_MS
      logger?.warn({ err }, 'The visitor salts can not be agreed on')
      // Old salts are destroyed, whether the database is available or not.
      salts.destroyOld(clock.now())
    }
    if (!isClosed) timer = setTimeout(() => check(false), nextMs).unref()
  }

  await check(true)
  return {
    /** Shares the salts of today and tomorrow, and destroys old ones. Also runs periodically. */
    refresh,
    hash: (...visit: Parameters<Visitors['hash']>) => salts.hash(...visit),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/**
 * The salt of a day: that of the first node. In the database it is encrypted (AES-256-GCM), because
 * its backups and its log keep rows longer: without the instance's secret they can't reveal whether
 * an address visited.
 */
async function agree(
  { storage, key, random }: SharedVisitorsOptions,
  day: number,
  own: string,
): Promise<string> {
  const sealed = seal(key, own, String(day), random.bytes(NONCE_BYTES))
  const first = await storage.write(async (tx) => {
    const all = await sql<{ sealed: string }>`
      INSERT INTO visitor_salts (day, sealed) VALUES (${day}, ${sealed})
      ON CONFLICT (day) DO UPDATE SET day = excluded.day RETURNING sealed`.execute(tx.db)
    return all.rows[0]?.sealed as string
  })
  return opened(first, day, key)
}

/** @throws OtherSecret */
function opened(sealed: string, day: number, key: Uint8Array): string {
  try {
    return unseal(key, sealed, String(day))
  } catch {
    throw new OtherSecret('The visitor salts were made by nodes with another secret')
  }
}
