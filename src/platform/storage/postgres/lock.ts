import pg from 'pg'
import { asPostgresError } from './errors.ts'

/** The lock of what migrates stored clicks outside of PostgreSQL: "clicks" in ASCII. */
const LOCK = 0x63_6c_69_63_6b_73n
const CONNECT_WITHIN_MS = 5_000

/**
 * Runs work that one node at a time may do; false: another one does. The lock is that of a transaction,
 * so it works through PgBouncer, and ends with the process. It holds up no vacuum.
 * @param work gets what throws if the lock is lost
 * @throws StorageUnavailable; what `work` throws
 */
export async function withClicksLock(
  url: string,
  work: (assertHeld: () => Promise<void>) => Promise<void>,
): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    application_name: 'slugline migrate',
  })
  client.on('error', () => {})
  const asked = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer
    } catch (error) {
      throw asPostgresError(error)
    }
  }
  try {
    await asked(client.connect())
    await asked(client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0'))
    const { rows } = await asked(
      client.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS held`),
    )
    if (rows[0]?.held !== true) return false
    await work(async () => void (await asked(client.query('SELECT 1'))))
    return true
  } finally {
    await client.end().catch(() => {})
  }
}
