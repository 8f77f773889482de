import type { Generated } from 'kysely'

/** Columns about the creation of links that were added to the baseline. */
export interface CreationSchema {
  links: {
    /**
     * Who made it: the id of a user or key, or the type of an actor without one. Null: unknown, it
     * was made by an earlier version.
     */
    created_by: string | null
  }
  /** JSON object: how slugs are generated there; null: by default. */
  domains: { slug_settings: Generated<string | null> }
  /** The same for the hosts that all workspaces share. */
  workspaces: { slug_settings: Generated<string | null> }
}

/** Of the main database, on both stores. */
export const CREATION_STATEMENTS = [
  // Imported links were created earlier than others with a lower `seq`.
  'CREATE INDEX links_created_at ON links (workspace_no, created_at, seq)',
  'ALTER TABLE links ADD COLUMN created_by TEXT',
  `CREATE INDEX links_created_by ON links (workspace_no, created_by, seq)
    WHERE created_by IS NOT NULL`,
  'ALTER TABLE domains ADD COLUMN slug_settings TEXT',
  'ALTER TABLE workspaces ADD COLUMN slug_settings TEXT',
]
