import { type Migration, Migrator } from 'kysely'
import { newerData } from '../../../lib/errors/index.ts'
import type { Sql } from '../storage.ts'

/** Applies migrations to a database. Returns the names of those that weren't yet. @throws OperatorError */
export async function applyMigrations(
  { db }: Pick<Sql, 'db'>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<string[]> {
  const provider = { getMigrations: async () => migrations }
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
  if (error) throw withCode(error)
  return results.map(({ migrationName }) => migrationName)
}

/** Kysely's error for a migration that this version doesn't know has only a text. */
function withCode(error: unknown): unknown {
  const unknown = /^corrupted migrations: .*migration (\S+) is missing/
  const migration = error instanceof Error ? unknown.exec(error.message)?.[1] : undefined
  return migration === undefined ? error : newerData(migration)
}
