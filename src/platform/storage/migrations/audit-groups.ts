import type { Generated } from 'kysely'

/** Columns that list the changes of a job under the entry of the job. */
export interface AuditGroupSchema {
  audit: {
    /** The `seq` of the entry of the job that made the change; null: none, it is listed by itself. */
    group_seq: Generated<number | null>
    /** How many entries are listed under this one; null: none. */
    changes: Generated<number | null>
  }
}

/** Of both stores. Entries from before are listed by themselves. */
export const AUDIT_GROUP_STATEMENTS = [
  'ALTER TABLE audit ADD COLUMN group_seq BIGINT',
  'ALTER TABLE audit ADD COLUMN changes BIGINT',
  // Each for a list without the changes of jobs: these can be many in a row.
  'CREATE INDEX audit_group ON audit (group_seq, seq)',
  `CREATE INDEX audit_actor_group ON audit (actor_id, group_seq, seq)
    WHERE actor_id IS NOT NULL`,
  'CREATE INDEX audit_action_group ON audit (action, group_seq, seq)',
]
