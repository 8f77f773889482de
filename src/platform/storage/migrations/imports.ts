import type { Generated } from 'kysely'
import { collated } from './baseline.ts'

/** Columns and tables that imports and their visibility added to the baseline. */
export interface ImportSchema {
  /** The folders of the links that a job has touched: who can't see one of them can't see the job. */
  job_folders: { job_id: string; folder_id: string }
  tags: {
    /** The folder of the link that it was created for; null: none, or it was created by itself. */
    folder_id: Generated<string | null>
  }
  link_counters: {
    /** The link's `imported_clicks`, for the sort by both. */
    imported: Generated<number>
  }
}

/** Of the main database, on both stores. */
export const MAIN_STATEMENTS = [
  'ALTER TABLE tags ADD COLUMN folder_id TEXT',
  'CREATE TABLE job_folders (job_id TEXT NOT NULL, folder_id TEXT NOT NULL, PRIMARY KEY (job_id, folder_id))',
  'CREATE INDEX job_folders_folder ON job_folders (folder_id)',
  // Covers their sum.
  `CREATE INDEX links_imported ON links (workspace_no, seq, imported_clicks)
    WHERE imported_clicks > 0`,
]

/** Of the counters; the click worker fills the column. */
export const COUNTER_STATEMENTS = [
  'ALTER TABLE link_counters ADD COLUMN imported BIGINT NOT NULL DEFAULT 0',
  `CREATE INDEX link_counters_with_imported
    ON link_counters (workspace_no, (human + imported), link_seq)`,
]

/**
 * Sort keys of the counters: SQLite merges the parts of a sorted list in the order of columns; in that
 * of an expression it would sort all ties for each page, and most links may never have been clicked.
 * Computed when they are read.
 */
export const SORT_KEY_STATEMENTS = [
  'ALTER TABLE link_counters ADD COLUMN with_imported BIGINT GENERATED ALWAYS AS (human + imported) VIRTUAL',
  `ALTER TABLE link_counters ADD COLUMN last_or_zero BIGINT
    GENERATED ALWAYS AS (coalesce(last_clicked_at, 0)) VIRTUAL`,
  'DROP INDEX link_counters_with_imported',
  'DROP INDEX link_counters_last',
  `CREATE INDEX link_counters_with_imported
    ON link_counters (workspace_no, with_imported, link_seq)`,
  'CREATE INDEX link_counters_last ON link_counters (workspace_no, last_or_zero, link_seq)',
]

/** With the collation of texts that PostgreSQL's baseline has. */
export const POSTGRES_STATEMENTS = collated([...MAIN_STATEMENTS, ...COUNTER_STATEMENTS])
