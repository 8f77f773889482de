import { sql } from 'kysely'
import type { Storage } from '../../platform/storage/index.ts'

/** A move was interrupted: the database has only a part of an instance. */
export class MoveUnfinished extends Error {
  override name = 'MoveUnfinished'
}

/** Checks that moves into a database are complete. @throws MoveUnfinished, StorageUnavailable */
export async function assertMoved({ read }: Pick<Storage, 'read'>): Promise<void> {
  const { rows: tables } = await sql<{ there: boolean }>`
    SELECT to_regclass('moves') IS NOT NULL AS there`.execute(read.db)
  if (!tables[0]?.there) return
  const { rows } = await sql`SELECT 1 FROM moves WHERE ended_at IS NULL`.execute(read.db)
  if (rows.length > 0) throw new MoveUnfinished('A move into this database is not finished')
}
