import { type Execute, sqlOver } from '../kysely.ts'
import type { Sql } from '../storage.ts'
import { ConnectionLost } from './errors.ts'
import type { Connection, Pool } from './pool.ts'

/** A position in the write-ahead log, which grows with time. */
export type Lsn = bigint

/** How long reports use the primary after the replica has failed. */
const AVOID_MS = 1_000

/** The end of the primary's write-ahead log. */
export async function writtenLsn({ execute }: Pick<Connection, 'execute'>): Promise<Lsn> {
  return lsnOf(await execute('SELECT pg_current_wal_insert_lsn() AS lsn', []))
}
interface ReportsOptions {
  primary: Pool
  replica: Pool | null
  /** How long a statement may take. */
  timeoutMs: number
  /** Memory for sorting and grouping; absent: the server's setting. */
  memoryMb?: number | undefined
  /** The position of this node's last commit; null: it has written nothing. */
  written: () => Lsn | null
}

/**
 * Reads that may take long: from a replica once it has this node's last write, so that callers see
 * their own changes; else from the primary.
 */
export function createReports(options: ReportsOptions): Sql {
  const { primary, replica, timeoutMs, memoryMb, written } = options
  const begin = [
    'BEGIN READ ONLY',
    `SET LOCAL statement_timeout = ${timeoutMs}`,
    'SET LOCAL jit = off',
    ...(memoryMb === undefined ? [] : [`SET LOCAL work_mem = '${memoryMb}MB'`]),
  ].join('; ')
  let replayed: Lsn = -1n
  let avoidUntil = 0

  async function ask(pool: Pool, text: string, values: readonly unknown[]) {
    const connection = await pool.connect()
    try {
      // Sent together: one round trip.
      const [, outcome] = await Promise.all([
        connection.command(begin),
        connection.execute(text, values),
        connection.command('COMMIT'),
      ])
      connection.release()
      return outcome
    } catch (error) {
      connection.release(true)
      throw error
    }
  }

  async function isCurrent(copy: Pool): Promise<boolean> {
    const needed = written()
    if (needed === null || replayed >= needed) return true
    replayed = lsnOf(
      await copy.execute(
        `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
           ELSE pg_current_wal_insert_lsn() END AS lsn`,
        [],
      ),
    )
    return replayed >= needed
  }

  const execute: Execute = async (text, values) => {
    if (replica !== null && Date.now() >= avoidUntil) {
      try {
        if (await isCurrent(replica)) return await ask(replica, text, values)
      } catch (error) {
        if (!(error instanceof ConnectionLost)) avoidUntil = Date.now() + AVOID_MS
      }
    }
    return ask(primary, text, values)
  }
  return sqlOver('postgres', execute)
}

function lsnOf({ rows: [row] }: { rows: unknown[] }): Lsn {
  const [high = '0', low = '0'] = String((row as { lsn: string | null } | undefined)?.lsn).split(
    '/',
  )
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
