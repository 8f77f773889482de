import { sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'

/** What one node at a time does. */
export type ChoreName = 'admit' | 'sweep' | 'visitors' | 'clicks'

/**
 * Takes something on for `forMs`, by PostgreSQL's clock: nobody else is given it until then. False:
 * somebody has it.
 */
export async function takeOn(
  storage: Pick<Storage, 'read'>,
  name: ChoreName,
  forMs: number,
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE chores SET until = now.ms + ${forMs}
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) now
    WHERE name = ${name} AND until <= now.ms RETURNING 1`.execute(storage.read.db)
  return rows.length > 0
}
