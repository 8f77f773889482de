import type { Kysely } from 'kysely'
import { CLICK_STORE_TABLES } from './postgres-click-store.ts'
import { CLICK_TABLES } from './postgres-clicks.ts'
import { runAll } from './run-all.ts'
import { sharedTables } from './tables.ts'

/** All tables of the embedded database and its counters, and what several nodes share. */
export async function up(db: Kysely<never>): Promise<void> {
  await runAll(db, [
    'CREATE EXTENSION IF NOT EXISTS pg_trgm',
    ...WORKSPACE_NUMBERS,
    ...sharedTables({
      text: 'TEXT COLLATE "C"',
      rowid: 'BIGINT PRIMARY KEY',
      numbered: 'BIGINT PRIMARY KEY DEFAULT next_workspace_no()',
      clustered: '',
      busy: ' WITH (fillfactor = 40)',
      // Visitors raise it: an index on it would have to be written each time.
      uses: '',
    }),
    'CREATE INDEX links_search ON links USING gin (search_text gin_trgm_ops)',
    ...CLICK_TABLES,
    ...CLICK_STORE_TABLES,
  ])
}

/** A sequence would leave gaps behind refusals, and numbers are few: `seq` must stay below 2^53. */
const WORKSPACE_NUMBERS = [
  'CREATE TABLE numbers (name TEXT PRIMARY KEY, value BIGINT NOT NULL)',
  "INSERT INTO numbers (name, value) VALUES ('workspaces', 0)",
  `CREATE FUNCTION next_workspace_no() RETURNS BIGINT LANGUAGE plpgsql AS $$
    DECLARE n BIGINT;
    BEGIN
      UPDATE numbers SET value = greatest(value,
          (SELECT coalesce(max(no), 0) FROM workspaces),
          (SELECT coalesce(max(no), 0) FROM deleted_workspaces)) + 1
        WHERE name = 'workspaces' RETURNING value INTO n;
      RETURN n;
    END $$`,
]
