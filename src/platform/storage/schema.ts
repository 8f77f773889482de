import type { AuditGroupSchema } from './migrations/audit-groups.ts'
import type {
  COUNTER_TABLES,
  Column,
  JOURNAL_TABLES,
  MAIN_TABLES,
  NODE_TABLES,
} from './migrations/baseline.ts'
import type { CreationSchema } from './migrations/creation.ts'
import type { EventSchema } from './migrations/events.ts'
import type { IdempotencyBytesSchema } from './migrations/idempotency-bytes.ts'
import type { ImportBytesSchema } from './migrations/import-bytes.ts'
import type { ImportSchema } from './migrations/imports.ts'
import type { MissSchema } from './migrations/missed-paths.ts'
import type { WebhookSchema } from './migrations/webhooks.ts'

export type { Flag, ImportStatus, Millis } from './migrations/baseline.ts'

type Baseline = typeof MAIN_TABLES &
  typeof COUNTER_TABLES &
  typeof JOURNAL_TABLES &
  typeof NODE_TABLES
type Row<Columns> = { [Name in keyof Columns]: Columns[Name] extends Column<infer T> ? T : never }

/** All tables, from the baseline. A later migration adds its columns to these types. */
export type Schema = { [Name in keyof Baseline]: Row<Baseline[Name]['columns']> } & {
  journal_watermark: { instance: string | null }
  /** JSON of a key's restrictions; null: it has none. */
  api_keys: { restrictions: string | null }
} & ImportSchema &
  CreationSchema &
  IdempotencyBytesSchema &
  ImportBytesSchema &
  EventSchema &
  MissSchema &
  WebhookSchema &
  AuditGroupSchema

export type ApiKeysTable = Schema['api_keys']
export type AuditTable = Schema['audit']
export type BlocksTable = Schema['blocks']
export type JobsTable = Schema['jobs']
export type DomainsTable = Schema['domains']
export type ImportRowsTable = Schema['import_rows']
export type LinksTable = Schema['links']
export type LogosTable = Schema['logos']
export type SlugsTable = Schema['slugs']
export type WorkspacesTable = Schema['workspaces']

/** Each workspace owns this many consecutive values of `links.seq`. */
export const SEQS_PER_WORKSPACE = 2 ** 32
