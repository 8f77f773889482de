import type { ColumnType, Generated } from 'kysely'
import { collated } from './baseline.ts'

/** Columns and tables that the feed of events added. */
export interface EventSchema {
  audit: {
    /** The number of the event in its workspace's feed; null: the entry is none. */
    sequence: number | null
    /** JSON: the object after the change; null: no event, or one that has expired. */
    object: string | null
  }
  workspaces: {
    /** How many events ever happened here: the `sequence` of the newest. */
    events_made: Generated<number>
    /** Up to the audit entry with this number, events have expired. */
    events_expired: Generated<number>
    /** JSON: of each limit of the plan, the threshold that usage has reached, in percent. */
    usage_reached: ColumnType<string, string | undefined, string>
  }
  /** Links whose last permitted click was used up, until that is recorded as an event. */
  used_up_links: { link_seq: number }
}

/** Of both stores, before their triggers. */
const STATEMENTS = [
  'ALTER TABLE audit ADD COLUMN sequence BIGINT',
  'ALTER TABLE audit ADD COLUMN object TEXT',
  'ALTER TABLE workspaces ADD COLUMN events_made BIGINT NOT NULL DEFAULT 0',
  'ALTER TABLE workspaces ADD COLUMN events_expired BIGINT NOT NULL DEFAULT 0',
  "ALTER TABLE workspaces ADD COLUMN usage_reached TEXT NOT NULL DEFAULT '{}'",
  // Entries from before have no objects.
  'UPDATE workspaces SET events_expired = audit_made',
  'CREATE INDEX links_starting ON links (starts_at, seq) WHERE starts_at IS NOT NULL',
  'CREATE INDEX links_expiring ON links (expires_at, seq) WHERE expires_at IS NOT NULL',
  'CREATE TABLE used_up_links (link_seq BIGINT PRIMARY KEY)',
]

export const SQLITE_STATEMENTS = [
  ...STATEMENTS,
  `CREATE TRIGGER links_used_up AFTER UPDATE OF uses ON links
    WHEN NEW.uses = NEW.max_clicks AND OLD.uses < NEW.uses
    BEGIN INSERT OR IGNORE INTO used_up_links (link_seq) VALUES (NEW.seq); END`,
]

/** The trigger that calls the function is that of `postgres-link-changes.ts`. */
export const POSTGRES_STATEMENTS = [
  ...collated(STATEMENTS),
  `CREATE OR REPLACE FUNCTION note_link_used_up() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO link_changes (link_seq) VALUES (NEW.seq);
      IF OLD.uses < NEW.uses THEN
        INSERT INTO used_up_links (link_seq) VALUES (NEW.seq) ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END $$`,
]
