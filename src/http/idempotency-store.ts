import type { Rendered } from '../errors/index.ts'
import { prepare, type Sql, type Storage, type Transaction } from '../storage/index.ts'

/** How long an answer can be replayed. */
const KEPT_MS = 24 * 60 * 60 * 1000
/** So many at a time are purged, so that no write waits long. */
const PURGE_STEP = 500

/** A request that is to have its effect once. */
export interface IdempotentRequest {
  workspaceNo: number
  key: string
  /** SHA-256 of what was asked. */
  fingerprint: string
}

/** What was answered before. */
export interface IdempotencyRecord {
  fingerprint: string
  answer: Rendered
}

interface Row {
  workspace_no: number
  key: string
  request_hash: string
  status: number
  headers: string
  body: string
  created_at: number
}

const find = prepare<
  { workspace_no: number; key: string; since: number },
  Pick<Row, 'request_hash' | 'status' | 'headers' | 'body'>
>((db, p) =>
  db
    .selectFrom('idempotency')
    .select(['request_hash', 'status', 'headers', 'body'])
    .where('workspace_no', '=', p.workspace_no)
    .where('key', '=', p.key)
    .where('created_at', '>', p.since),
)

const insert = prepare<Row & { since: number }, { key: string }>((db, p) =>
  db
    .insertInto('idempotency')
    .values({
      workspace_no: p.workspace_no,
      key: p.key,
      request_hash: p.request_hash,
      status: p.status,
      headers: p.headers,
      body: p.body,
      created_at: p.created_at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_no', 'key'])
        .doUpdateSet((eb) => ({
          request_hash: eb.ref('excluded.request_hash'),
          status: eb.ref('excluded.status'),
          headers: eb.ref('excluded.headers'),
          body: eb.ref('excluded.body'),
          created_at: eb.ref('excluded.created_at'),
        }))
        .where('idempotency.created_at', '<=', p.since),
    )
    .returning('key'),
)

/** The record of this key, unless it is older than a day. */
export async function findRecord(
  sql: Sql,
  { workspaceNo, key }: IdempotentRequest,
  now: number,
): Promise<IdempotencyRecord | undefined> {
  const [row] = await sql.run(find, { workspace_no: workspaceNo, key, since: now - KEPT_MS })
  if (row === undefined) return undefined
  return {
    fingerprint: row.request_hash,
    answer: {
      status: row.status,
      text: row.body === '' ? null : row.body,
      headers: JSON.parse(row.headers) as Record<string, string>,
    },
  }
}

/** Records an answer. False: the key has a record already, which stays as it is. */
export async function insertRecord(
  tx: Transaction,
  { workspaceNo, key, fingerprint }: IdempotentRequest,
  answer: Rendered,
  now: number,
): Promise<boolean> {
  const rows = await tx.run(insert, {
    workspace_no: workspaceNo,
    key,
    request_hash: fingerprint,
    status: answer.status,
    headers: JSON.stringify(answer.headers),
    body: answer.text ?? '',
    created_at: now,
    since: now - KEPT_MS,
  })
  return rows.length === 1
}

/** Deletes the records that are older than a day, in small steps. Returns how many there were. */
export async function purgeIdempotency(storage: Storage, now: number): Promise<number> {
  for (let purged = 0; ; ) {
    const step = await storage.write(
      async (tx) => {
        const result = await tx.db
          .deleteFrom('idempotency')
          .where((eb) =>
            eb(
              eb.refTuple('workspace_no', 'key'),
              'in',
              eb
                .selectFrom('idempotency')
                .select(['workspace_no', 'key'])
                .where('created_at', '<=', now - KEPT_MS)
                .orderBy('created_at')
                .limit(PURGE_STEP)
                .$asTuple('workspace_no', 'key'),
            ),
          )
          .executeTakeFirst()
        return Number(result.numDeletedRows)
      },
      { survives: 'process' },
    )
    purged += step
    if (step < PURGE_STEP) return purged
  }
}
