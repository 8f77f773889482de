import type { Generated } from 'kysely'

/** The size of stored responses. */
export interface IdempotencyBytesSchema {
  /** Bytes of a large `body`; 0: it is small, or was stored by an earlier version. */
  idempotency: { bytes: Generated<number> }
}

/** Of both stores. */
export const IDEMPOTENCY_BYTES_STATEMENTS = [
  'ALTER TABLE idempotency ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0',
  `CREATE INDEX idempotency_bytes ON idempotency (workspace_no, created_at, bytes)
    WHERE bytes > 0`,
]
