/** Columns about the creation of links that were added to the baseline. */
export interface CreationSchema {
  links: {
    /**
     * Who made it: the id of a user or key, or the type of an actor without one. Null: unknown, it
     * was made by an earlier version.
     */
    created_by: string | null
  }
}

/** Of the main database, on both stores. */
export const CREATION_STATEMENTS = [
  'ALTER TABLE links ADD COLUMN created_by TEXT',
  `CREATE INDEX links_created_by ON links (workspace_no, created_by, seq)
    WHERE created_by IS NOT NULL`,
]
