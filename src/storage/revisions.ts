import { sql } from 'kysely'
import { prepare, type Sql, type Transaction } from './storage.ts'

/** Tables that are held in memory. Their revision tells every process when one has changed. */
type Revised = 'blocks' | 'domains'

const read = prepare<{ name: string }, { value: string }>((db, p) =>
  db.selectFrom('instance').select('value').where('name', '=', p.name),
)

/** Differs from an earlier one if a row has changed; undefined: none ever did. */
export async function revisionOf(sqlx: Sql, name: Revised): Promise<string | undefined> {
  return (await sqlx.run(read, { name }))[0]?.value
}

/** Tells all processes, within the transaction that changes a row. */
export async function raiseRevision(tx: Transaction, name: Revised): Promise<void> {
  await sql`
    INSERT INTO instance (name, value) VALUES (${name}, '1') ON CONFLICT (name)
    DO UPDATE SET value = CAST(CAST(instance.value AS BIGINT) + 1 AS TEXT)`.execute(tx.db)
}
