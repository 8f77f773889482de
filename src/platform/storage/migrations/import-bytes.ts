import type { Generated } from 'kysely'

/** Whose file a chunk belongs to, and its size. Null: it was stored by an earlier version. */
export interface ImportBytesSchema {
  import_chunks: {
    workspace_no: Generated<number | null>
    /** In UTF-8. */
    bytes: Generated<number | null>
  }
}

/** Of both stores. */
export const IMPORT_BYTES_STATEMENTS = [
  'ALTER TABLE import_chunks ADD COLUMN workspace_no BIGINT',
  'ALTER TABLE import_chunks ADD COLUMN bytes BIGINT',
  // Covers their sum.
  `CREATE INDEX import_chunks_bytes ON import_chunks (workspace_no, bytes)
    WHERE workspace_no IS NOT NULL`,
]
