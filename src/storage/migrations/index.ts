import type { Migration } from 'kysely'
import * as core from './0001-core.ts'
import * as accounts from './0002-accounts.ts'
import * as audit from './0003-audit.ts'
import * as countersCore from './counters-0001-core.ts'
import * as postgresCore from './postgres-0001-core.ts'
import * as postgresClicks from './postgres-0002-clicks.ts'
import * as postgresMakeLink from './postgres-0003-make-link.ts'
import * as postgresClickStore from './postgres-0004-click-store.ts'
import type { PostgresMigration } from './postgres-migration.ts'

/** Migrations of the main database, applied in the order of their names. */
export const MAIN_MIGRATIONS: Record<string, Migration> = {
  '0001-core': core,
  '0002-accounts': accounts,
  '0003-audit': audit,
}

/** Migrations of the counters, which are a file of their own in the embedded database. */
export const COUNTERS_MIGRATIONS: Record<string, Migration> = {
  '0001-core': countersCore,
}

/** Migrations of PostgreSQL, which holds all of it. */
export const POSTGRES_MIGRATIONS: Record<string, PostgresMigration> = {
  '0001-core': postgresCore,
  '0002-clicks': postgresClicks,
  '0003-make-link': postgresMakeLink,
  '0004-click-store': postgresClickStore,
}
