import type { Migration } from 'kysely'
import * as countersBaseline from './counters-baseline.ts'
import * as mainBaseline from './main-baseline.ts'
import * as postgresBaseline from './postgres-baseline.ts'
import type { PostgresMigration } from './postgres-migration.ts'

/** Migrations of the main database, applied in the order of their names. */
export const MAIN_MIGRATIONS: Record<string, Migration> = {
  '0001-baseline': mainBaseline,
}

/** Migrations of the counters, which are a file of their own in the embedded database. */
export const COUNTERS_MIGRATIONS: Record<string, Migration> = {
  '0001-baseline': countersBaseline,
}

/** Migrations of PostgreSQL, which holds all of it. */
export const POSTGRES_MIGRATIONS: Record<string, PostgresMigration> = {
  '0001-baseline': postgresBaseline,
}
