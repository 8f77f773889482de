import { createCipheriv, createDecipheriv } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Storage } from '../../storage/index.ts'
import { loadSalts, saveSalts, type Visitors, visitorHash } from '../visitors.ts'

const DAY_MS = 86_400_000
const SALT_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const CHECK_MS = 600_000
/** Until PostgreSQL has given tomorrow's salt, it is asked more often. */
const RETRY_MS = 10_000

/** Visitors that are told apart alike on all nodes. */
export interface SharedVisitors extends Visitors {
  /** Gets the salts of today and tomorrow, and destroys old ones; it does so by itself, too. */
  refresh(): Promise<void>
}

/** What they work with. */
export interface SharedVisitorsOptions {
  storage: Pick<Storage, 'read' | 'write'>
  /** 32 bytes that all nodes have and the database hasn't. */
  key: Uint8Array
  /** This node's copy, readable by the owner alone: for a start while PostgreSQL is away. */
  file: string
  clock: Clock
  random: Random
  logger?: Pick<Logger, 'warn' | 'error'>
}

/** The salts were made with another key: this node has another secret than the others. */
export class OtherSecret extends Error {
  override name = 'OtherSecret'
}

/**
 * As `openVisitors`, with salts that all nodes share: whoever comes first makes the day's, a day
 * ahead, so that nobody waits for the database at midnight. They are deleted 48 hours after their
 * day began at the latest. In the database they are encrypted (AES-256-GCM), for its backups and
 * its log keep rows longer than it does itself: without the instance's secret they tell nobody
 * whether some address came.
 *
 * While PostgreSQL is away for so long that a day begins without its salt, the node takes one of
 * its own, and visitors of several nodes count as several, until PostgreSQL is back.
 */
export async function openSharedVisitors(options: SharedVisitorsOptions): Promise<SharedVisitors> {
  const { storage, key, file, clock, random, logger } = options
  const salts = loadSalts(file)
  /** Days whose salt is this node's alone. */
  const own = new Set<number>()
  let from = 0
  let until = 0
  let salt = ''
  let timer: Timer | undefined
  let closed = false

  function switchDay(now: number): void {
    const day = Math.floor(now / DAY_MS)
    let known = salts.get(day)
    if (known === undefined) {
      known = makeSalt()
      salts.set(day, known)
      own.add(day)
      logger?.error({}, "The day's visitor salt is unknown: visitors are told apart by this node")
    }
    salt = known
    from = day * DAY_MS
    until = from + DAY_MS
  }

  const makeSalt = () => Buffer.from(random.bytes(SALT_BYTES)).toString('base64url')

  /** The salt of a day, made by whoever comes first. */
  async function agree(day: number): Promise<string> {
    const { rows } = await sql<{ sealed: string }>`SELECT sealed FROM visitor_salts
      WHERE day = ${day}`.execute(storage.read.db)
    const found = rows[0]?.sealed
    if (found !== undefined) return unseal(found, day)
    const made = salts.get(day) ?? makeSalt()
    const sealed = seal(made, day)
    return await storage.write(async (tx) => {
      const all = await sql<{ sealed: string }>`
        INSERT INTO visitor_salts (day, sealed) VALUES (${day}, ${sealed})
        ON CONFLICT (day) DO UPDATE SET day = excluded.day RETURNING sealed`.execute(tx.db)
      return unseal(all.rows[0]?.sealed as string, day)
    })
  }

  function seal(text: string, day: number): string {
    const iv = random.bytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(String(day)))
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url')
  }

  function unseal(text: string, day: number): string {
    const bytes = Buffer.from(text, 'base64url')
    const end = bytes.length - TAG_BYTES
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
      decipher.setAAD(Buffer.from(String(day))).setAuthTag(bytes.subarray(end))
      return (
        decipher.update(bytes.subarray(IV_BYTES, end), undefined, 'utf8') + decipher.final('utf8')
      )
    } catch {
      throw new OtherSecret('The visitor salts were made by nodes with another secret')
    }
  }

  async function refresh(): Promise<void> {
    const today = Math.floor(clock.now() / DAY_MS)
    for (const day of [today, today + 1]) {
      salts.set(day, await agree(day))
      own.delete(day)
    }
    // Whatever this node used alone so far.
    until = 0
    forget(today)
    save()
    await storage.write(async (tx) => {
      await sql`DELETE FROM visitor_salts WHERE day < ${today - 1}`.execute(tx.db)
    })
  }

  /** Yesterday's stays, for a clock that steps back over midnight. */
  function forget(today: number): void {
    for (const day of salts.keys()) if (day < today - 1) salts.delete(day)
  }

  function save(): void {
    try {
      saveSalts(file, salts)
    } catch (error) {
      logger?.error({ err: error }, 'The visitor salts can not be saved')
    }
  }

  async function check(): Promise<void> {
    let again = CHECK_MS
    try {
      await refresh()
    } catch (error) {
      again = RETRY_MS
      logger?.warn({ err: error }, 'The visitor salts can not be agreed upon')
      // What is over is over, whether PostgreSQL is there or not.
      forget(Math.floor(clock.now() / DAY_MS))
      save()
    }
    if (!closed) timer = setTimeout(check, again).unref()
  }

  try {
    await refresh()
  } catch (error) {
    if (error instanceof OtherSecret) throw error
    logger?.warn({ err: error }, 'The visitor salts can not be agreed upon')
  }
  timer = setTimeout(check, own.size > 0 || salts.size < 2 ? RETRY_MS : CHECK_MS).unref()

  return {
    refresh,
    hash(now, address, userAgent) {
      if (now < from || now >= until) switchDay(now)
      return visitorHash(salt, address, userAgent)
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
