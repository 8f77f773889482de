import { sql } from 'kysely'
import { OperatorError } from '../../lib/errors/index.ts'
import type { Storage } from '../../platform/storage/index.ts'

/** Checks that moves into a database are complete. @throws OperatorError, StorageUnavailable */
export async function assertMoved({ read }: Pick<Storage, 'read'>): Promise<void> {
  const { rows: tables } = await sql<{ there: boolean }>`
    SELECT to_regclass('moves') IS NOT NULL AS there`.execute(read.db)
  if (!tables[0]?.there) return
  const { rows } = await sql`SELECT 1 FROM moves WHERE ended_at IS NULL`.execute(read.db)
  if (rows.length === 0) return
  throw new OperatorError(
    'MOVE_UNFINISHED',
    'A move into this database is not complete. Run the same slugline move again, on the ' +
      'machine of the instance that is moved, until it says that everything is there.',
  )
}
