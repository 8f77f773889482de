import { type Kysely, sql } from 'kysely'

/** The audit log, and deleted links that can still be restored. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS: string[] = []
