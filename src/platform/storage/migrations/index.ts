import { type Kysely, type Migration, sql } from 'kysely'
import { AUDIT_GROUP_STATEMENTS } from './audit-groups.ts'
import {
  COUNTER_TABLES,
  collated,
  JOURNAL_TABLES,
  MAIN_TABLES,
  runAll,
  specialLinksIndex,
  statementsFor,
} from './baseline.ts'
import { CLICK_SUMS_STATEMENTS, SUM_AGAIN } from './click-sums.ts'
import { CREATION_STATEMENTS } from './creation.ts'
import { foldDottedKeys } from './dotted-keys.ts'
import * as events from './events.ts'
import { IDEMPOTENCY_BYTES_STATEMENTS } from './idempotency-bytes.ts'
import { IMPORT_BYTES_STATEMENTS } from './import-bytes.ts'
import {
  COUNTER_STATEMENTS,
  MAIN_STATEMENTS,
  POSTGRES_STATEMENTS,
  SORT_KEY_STATEMENTS,
} from './imports.ts'
import * as missedPaths from './missed-paths.ts'
import * as postgresBaseline from './postgres-baseline.ts'
import * as linkChanges from './postgres-link-changes.ts'
import * as webhooks from './webhooks.ts'

/**
 * A migration of PostgreSQL. While it is applied, nodes of older versions keep working;
 * docs/upgrading.md has the rules for that.
 */
export type PostgresMigration = Step & {
  /**
   * The last migration that a node must know to work after this one; older nodes refuse to start.
   * Absent: older nodes keep working.
   */
  readonly oldestNode?: string
}

type Step =
  /** Changes tables, in one transaction. */
  | { up(db: Kysely<never>): Promise<void> }
  /**
   * Changes many rows: some of the remaining ones with each call, in a separate transaction. False:
   * none is left. Continues after an interruption.
   */
  | { batch(db: Kysely<never>): Promise<boolean> }

/** Migrations of the embedded main database, applied in the order of their names. */
export const MAIN_MIGRATIONS: Record<string, Migration> = {
  '0001-baseline': {
    up: (db: Kysely<never>) =>
      runAll(db, [
        ...statementsFor('sqlite', MAIN_TABLES),
        specialLinksIndex(', uses'),
        // Only the index: the text is in links.search_text.
        `CREATE VIRTUAL TABLE links_search USING fts5 (
          search_text, content = '', contentless_delete = 1, tokenize = 'trigram'
        )`,
        // Merging its segments less often makes writing a link here a third cheaper.
        "INSERT INTO links_search (links_search, rank) VALUES ('automerge', 16), ('crisismerge', 32)",
        // Its trigrams, to find those that begin with a shorter term.
        "CREATE VIRTUAL TABLE links_search_terms USING fts5vocab (links_search, 'row')",
      ]),
  },
  '0002-instance': { up: nameInstance },
  '0003-imports': { up: (db: Kysely<never>) => runAll(db, MAIN_STATEMENTS) },
  '0004-find-by-destination': {
    up: (db: Kysely<never>) =>
      runAll(db, ['CREATE INDEX links_target ON links (workspace_no, target_url, seq)']),
  },
  '0005-many-tags': { up: (db: Kysely<never>) => runAll(db, MANY_TAGS) },
  '0006-creation': { up: (db: Kysely<never>) => runAll(db, CREATION_STATEMENTS) },
  '0007-missed-paths': { up: (db: Kysely<never>) => runAll(db, missedPaths.MAIN_STATEMENTS) },
  '0008-events': {
    async up(db: Kysely<never>) {
      await runAll(db, events.SQLITE_STATEMENTS)
      await nameFeed(db)
    },
  },
  '0009-key-restrictions': {
    up: (db: Kysely<never>) => runAll(db, ['ALTER TABLE api_keys ADD COLUMN restrictions TEXT']),
  },
  '0010-webhooks': { up: (db: Kysely<never>) => runAll(db, webhooks.SQLITE_STATEMENTS) },
  '0011-dotted-keys': { up: (db: Kysely<never>) => foldDottedKeys(db, 'sqlite') },
  '0011-idempotency-bytes': {
    up: (db: Kysely<never>) => runAll(db, IDEMPOTENCY_BYTES_STATEMENTS),
  },
  '0012-import-bytes': { up: (db: Kysely<never>) => runAll(db, IMPORT_BYTES_STATEMENTS) },
  '0013-audit-groups': { up: (db: Kysely<never>) => runAll(db, AUDIT_GROUP_STATEMENTS) },
  '0014-search-merges': {
    // A crisis merge is done at once: beside a million links it held one creation for seconds.
    up: (db: Kysely<never>) =>
      runAll(db, ["INSERT INTO links_search (links_search, rank) VALUES ('crisismerge', 500)"]),
  },
}

/** Migrations of the counters, which are a separate file in the embedded database. */
export const COUNTERS_MIGRATIONS: Record<string, Migration> = {
  '0001-baseline': {
    up: (db: Kysely<never>) =>
      runAll(db, [
        ...statementsFor('sqlite', { ...COUNTER_TABLES, ...JOURNAL_TABLES }),
        'INSERT INTO journal_watermark (id, segment, "offset") VALUES (1, 0, 0)',
      ]),
  },
  '0002-instance': {
    // The instance that these counters belong to; null: not known yet.
    up: (db: Kysely<never>) =>
      runAll(db, ['ALTER TABLE journal_watermark ADD COLUMN instance TEXT']),
  },
  '0003-imports': { up: (db: Kysely<never>) => runAll(db, COUNTER_STATEMENTS) },
  '0004-sort-keys': { up: (db: Kysely<never>) => runAll(db, SORT_KEY_STATEMENTS) },
}

/** Migrations of PostgreSQL, which has all tables. */
export const POSTGRES_MIGRATIONS: Record<string, PostgresMigration> = {
  '0001-baseline': postgresBaseline,
  '0002-instance': { up: nameInstance },
  '0003-link-changes': linkChanges,
  '0004-imports': { up: (db) => runAll(db, POSTGRES_STATEMENTS) },
  '0005-find-by-destination': {
    // Of a digest: an entry of PostgreSQL's indexes has at most 2,704 bytes.
    up: (db) =>
      runAll(db, [
        'CREATE INDEX links_target ON links (workspace_no, hashtextextended(target_url, 0), seq)',
      ]),
  },
  '0007-creation': { up: (db) => runAll(db, collated(CREATION_STATEMENTS)) },
  '0008-missed-paths': { up: (db) => runAll(db, missedPaths.POSTGRES_STATEMENTS) },
  '0009-events': {
    async up(db) {
      await runAll(db, events.POSTGRES_STATEMENTS)
      await nameFeed(db)
    },
  },
  '0010-key-restrictions': {
    up: (db) => runAll(db, ['ALTER TABLE api_keys ADD COLUMN restrictions TEXT COLLATE "C"']),
  },
  '0011-webhooks': { up: (db) => runAll(db, webhooks.POSTGRES_STATEMENTS) },
  '0012-click-sums': { up: (db) => runAll(db, CLICK_SUMS_STATEMENTS) },
  '0013-dotted-keys': { up: (db) => foldDottedKeys(db, 'postgres') },
  '0013-idempotency-bytes': { up: (db) => runAll(db, IDEMPOTENCY_BYTES_STATEMENTS) },
  '0014-import-bytes': { up: (db) => runAll(db, IMPORT_BYTES_STATEMENTS) },
  '0015-audit-groups': { up: (db) => runAll(db, AUDIT_GROUP_STATEMENTS) },
  '0016-hours-of-zones': { up: (db) => runAll(db, [SUM_AGAIN]) },
}

/**
 * Tells SQLite's planner that a workspace may have many tags. Without it, it takes them for ten, and
 * reads all of them for each link or name: 70 ms a link with 20,000 tags.
 */
const MANY_TAGS = [
  'ANALYZE tags',
  "DELETE FROM sqlite_stat1 WHERE tbl = 'tags'",
  `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('tags', 'tags', '20000 20000 1'),
    ('tags', 'tags_numbers', '20000 20000 1 1'), ('tags', 'tags_key', '20000 20000 1')`,
  'ANALYZE sqlite_schema',
]

/** Gives the instance an id; see `platform/storage/instance.ts`. */
async function nameInstance(db: Kysely<never>): Promise<void> {
  await sql`INSERT INTO instance (name, value) VALUES ('id', ${crypto.randomUUID()})`.execute(db)
}

/** Gives the feed of events its id; see `platform/storage/feed.ts`. */
async function nameFeed(db: Kysely<never>): Promise<void> {
  await sql`INSERT INTO instance (name, value) VALUES ('feed', ${crypto.randomUUID()})`.execute(db)
}
