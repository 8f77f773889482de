import { sql } from 'kysely'
import { prepare, type Sql, type Transaction } from './storage.ts'

/** Tables that are held in memory. A revision shows every process when one has changed. */
type Revised = 'blocks' | 'domains'

const read = prepare<{ name: string }, { value: string }>((db, p) =>
  db.selectFrom('instance').select('value').where('name', '=', p.name),
)

/** The revision of a table; undefined: it never changed. */
export async function revisionOf(sqlx: Sql, name: Revised): Promise<string | undefined> {
  return (await sqlx.run(read, { name }))[0]?.value
}

/** Notifies all processes, in the transaction that changes a row. */
export async function raiseRevision(tx: Transaction, name: Revised): Promise<void> {
  await sql`
    INSERT INTO instance (name, value) VALUES (${name}, '1') ON CONFLICT (name)
    DO UPDATE SET value = CAST(CAST(instance.value AS BIGINT) + 1 AS TEXT)`.execute(tx.db)
}
