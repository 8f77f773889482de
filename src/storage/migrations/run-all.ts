import { type Kysely, sql } from 'kysely'

/** Runs statements one after another. */
export async function runAll(db: Kysely<never>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
