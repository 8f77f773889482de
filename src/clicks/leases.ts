import { sql } from 'kysely'
import type { Storage } from '../platform/storage/index.ts'

/**
 * Acquires the lease of a maintenance task for `forMs` milliseconds by PostgreSQL's clock; no other
 * node gets it until then. False: another node has it.
 */
export async function acquireLease(
  storage: Pick<Storage, 'read'>,
  name: 'counters' | 'clicks',
  forMs: number,
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE leases SET until = now.ms + ${forMs}
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) now
    WHERE name = ${name} AND until <= now.ms RETURNING 1`.execute(storage.read.db)
  return rows.length > 0
}
