import { type Migration, Migrator } from 'kysely'
import type { Sql } from '../storage.ts'

/** Applies migrations to a database. Returns the names of those that weren't yet. */
export async function applyMigrations(
  { db }: Pick<Sql, 'db'>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<string[]> {
  const provider = { getMigrations: async () => migrations }
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
  if (error) throw error
  return results.map(({ migrationName }) => migrationName)
}
