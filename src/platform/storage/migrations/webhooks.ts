import type { Flag, Millis } from './baseline.ts'
import { collated } from './baseline.ts'

/** Tables of webhooks. */
export interface WebhookSchema {
  webhooks: {
    id: string
    workspace_no: number
    url: string
    /** JSON array. */
    types: string
    /** JSON of numbers and ids, like the restrictions of a key; null: none. */
    filter: string | null
    enabled: Flag
    /** Why Slugline disabled it; null: it didn't. */
    disabled_reason: string | null
    /** When it was deleted; its deliveries follow. */
    deleted_at: Millis | null
    /** Who made or last enabled it: it gets what they can see. */
    actor_type: string
    actor_id: string | null
    actor_label: string
    /** The audit entry up to which deliveries have been made. */
    position: number
    /** `time n` of the last click that is part of a delivery; null: from now on. */
    clicks_position: string | null
    /** When a delivery is due, while no node serves the webhook; null: none is. */
    next_at: Millis | null
    /** The node that serves the webhook, until its lease runs out. */
    lease_owner: string | null
    lease_until: Millis
    /** When the first of the latest attempts failed, none of which succeeded; null: the last did. */
    failing_since: Millis | null
    /** What its secret is derived from, and the previous one, which is used until `old_until`. */
    salt: string
    old_salt: string | null
    old_until: Millis | null
    created_at: Millis
    updated_at: Millis
    version: number
  }
  webhook_deliveries: {
    id: string
    webhook_id: string
    /** The `webhook-id` of its requests. */
    event_id: string
    /** The audit entry that is the event; null: something else is sent. */
    event_no: number | null
    type: string
    /** JSON of a sample. */
    body: string | null
    /** Clicks are sent: those after one position up to another, as `time n time n`. */
    clicks: string | null
    status: string
    /** Attempts since it was made or replayed. */
    tries: number
    /** JSON array of the latest attempts. */
    attempts: string
    /** When it is due; null: it is finished. */
    due_at: Millis | null
    created_at: Millis
  }
}

const TABLES = [
  `CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    workspace_no BIGINT NOT NULL,
    url TEXT NOT NULL,
    types TEXT NOT NULL,
    filter TEXT,
    enabled INTEGER NOT NULL,
    disabled_reason TEXT,
    deleted_at BIGINT,
    actor_type TEXT NOT NULL,
    actor_id TEXT,
    actor_label TEXT NOT NULL,
    position BIGINT NOT NULL,
    clicks_position TEXT,
    next_at BIGINT,
    lease_owner TEXT,
    lease_until BIGINT NOT NULL,
    failing_since BIGINT,
    salt TEXT NOT NULL,
    old_salt TEXT,
    old_until BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL
  )`,
  `CREATE TABLE webhook_deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event_no BIGINT,
    type TEXT NOT NULL,
    body TEXT,
    clicks TEXT,
    status TEXT NOT NULL,
    tries BIGINT NOT NULL,
    attempts TEXT NOT NULL,
    due_at BIGINT,
    created_at BIGINT NOT NULL
  )`,
  'CREATE INDEX webhooks_workspace ON webhooks (workspace_no, id)',
  'CREATE INDEX webhooks_enabled ON webhooks (id) WHERE enabled = 1',
  'CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id)',
  'CREATE INDEX webhook_deliveries_status ON webhook_deliveries (webhook_id, status, id)',
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, id)
    WHERE due_at IS NOT NULL`,
]

export const SQLITE_STATEMENTS = TABLES
export const POSTGRES_STATEMENTS = collated(TABLES)
