import type { Kysely, Migration } from 'kysely'
import {
  COUNTER_TABLES,
  JOURNAL_TABLES,
  MAIN_TABLES,
  runAll,
  specialLinksIndex,
  statementsFor,
} from './baseline.ts'
import * as postgresBaseline from './postgres-baseline.ts'

/**
 * One step of PostgreSQL's tables. While it is applied, nodes that don't know it go on working;
 * docs/upgrading.md has the rules that follow from that.
 */
export type PostgresMigration = Step & {
  /**
   * The last migration that a node must know to work on the tables once this one is applied: older
   * ones refuse to start. Absent: older nodes go on working.
   */
  readonly oldestNode?: string
}

type Step =
  /** Changes tables, in one transaction. */
  | { up(db: Kysely<never>): Promise<void> }
  /**
   * Changes many rows: some of those that are left over at each call, in a transaction of its own.
   * False: none are left. Killed in between, it goes on where it was.
   */
  | { batch(db: Kysely<never>): Promise<boolean> }

/** Migrations of the embedded main database, applied in the order of their names. */
export const MAIN_MIGRATIONS: Record<string, Migration> = {
  '0001-baseline': {
    up: (db: Kysely<never>) =>
      runAll(db, [
        ...statementsFor('sqlite', MAIN_TABLES),
        specialLinksIndex(', uses'),
        // The index alone: the text is in links.search_text.
        `CREATE VIRTUAL TABLE links_search USING fts5 (
          search_text, content = '', contentless_delete = 1, tokenize = 'trigram'
        )`,
      ]),
  },
}

/** Migrations of the counters, which are a file of their own in the embedded database. */
export const COUNTERS_MIGRATIONS: Record<string, Migration> = {
  '0001-baseline': {
    up: (db: Kysely<never>) =>
      runAll(db, [
        ...statementsFor('sqlite', { ...COUNTER_TABLES, ...JOURNAL_TABLES }),
        'INSERT INTO journal_watermark (id, segment, "offset") VALUES (1, 0, 0)',
      ]),
  },
}

/** Migrations of PostgreSQL, which holds all of it. */
export const POSTGRES_MIGRATIONS: Record<string, PostgresMigration> = {
  '0001-baseline': postgresBaseline,
}
