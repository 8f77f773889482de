import { sql } from 'kysely'
import { replaceFile } from '../../lib/base/replace-file.ts'
import { type Prepared, prepare, type Sql, type Storage, type Transaction } from './storage.ts'

/** Tables that are held in memory. A revision shows every process when one has changed. */
type Revised = 'blocks' | 'domains'

const read = prepare<{ name: string }, { value: string }>((db, p) =>
  db.selectFrom('instance').select('value').where('name', '=', p.name),
)

/** The revision of a table; undefined: it never changed. */
async function revisionOf(sqlx: Sql, name: Revised): Promise<string | undefined> {
  return (await sqlx.run(read, { name }))[0]?.value
}

/**
 * Returns the function that reads a table's rows if they have changed since its last call, and hands
 * them to `take`. `file` keeps them for a start without the database; absent: none does. The function
 * throws StorageUnavailable, without a call of `take`.
 */
export function createRefresh<Row>(
  storage: Pick<Storage, 'read'>,
  name: Revised,
  rows: Prepared<Record<string, never>, Row>,
  { take, file }: { take: (rows: readonly Row[]) => void; file?: string | undefined },
): () => Promise<void> {
  let seen: string | undefined
  let last: Promise<void> = Promise.resolve()
  const refresh = async () => {
    const now = await revisionOf(storage.read, name)
    if (now === seen) return
    // Read after the revision: a change between the two is read twice, never missed.
    const found = await storage.read.run(rows, {})
    take(found)
    seen = now
    if (file !== undefined) replaceFile(file, JSON.stringify(found))
  }
  return () => {
    // Reads are serialized, so that an older result never replaces a newer one.
    last = last.catch(() => {}).then(refresh)
    return last
  }
}

/** Notifies all processes, in the transaction that changes a row. */
export async function raiseRevision(tx: Transaction, name: Revised): Promise<void> {
  await sql`
    INSERT INTO instance (name, value) VALUES (${name}, '1') ON CONFLICT (name)
    DO UPDATE SET value = CAST(CAST(instance.value AS BIGINT) + 1 AS TEXT)`.execute(tx.db)
}
