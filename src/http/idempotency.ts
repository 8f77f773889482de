import { sql } from 'kysely'
import type { Clock } from '../lib/base/clock.ts'
import { nextTurn } from '../lib/base/turn.ts'
import { AppError, type Rendered } from '../lib/errors/index.ts'
import { sufficientFor } from '../model/keys/scopes.ts'
import type { Sql, Storage, Transaction } from '../platform/storage/index.ts'
import type { Caller, Permission } from './callers.ts'
import { pathOf, searchOf } from './request.ts'
import type { Scoped } from './types.ts'

/** How long a response can be replayed. */
const KEPT_MS = 24 * 60 * 60 * 1000
/** The most bytes of large responses that are stored for a workspace. */
const STORED_MAX = 64 * 1024 * 1024
/** Smaller responses aren't counted: the rate limit bounds them. */
const LARGE_BYTES = 4_096
/** The status of a record whose response wasn't stored. Errors never are. */
const OMITTED = 409
/** Records purged per transaction, so that no write waits long. */
const PURGE_STEP = 500

/** A request that takes effect once. */
export interface IdempotentRequest {
  workspaceNo: number
  key: string
  /** SHA-256 of the request. */
  fingerprint: string
}

const BARE = /^[\x21-\x7e]{1,255}$/
/** A string of RFC 8941 §3.3.3, in which only quotes and backslashes are escaped. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/**
 * The key of an `Idempotency-Key` header: 1–255 visible characters, or a quoted string as in
 * draft-ietf-httpapi-idempotency-key-header. Both forms are the same key.
 * @throws AppError BAD_REQUEST
 */
export function idempotencyKeyOf(header: string): string {
  const value = header.trim()
  const quoted = QUOTED.exec(value)?.[1]?.replace(/\\(.)/g, '$1')
  const key = quoted ?? (value.startsWith('"') ? '' : value)
  if (quoted === undefined ? BARE.test(key) : key.length >= 1 && key.length <= 255) return key
  throw new AppError('BAD_REQUEST', {
    details: [
      { field: 'Idempotency-Key', code: 'INVALID_HEADER', params: { expected: '1*255VCHAR' } },
    ],
  })
}

/** Characters that are digested per turn of the event loop. */
const TURN_LENGTH = 32 * 1024

/** A digest of a request, in 43 characters. `body` is parsed: its formatting doesn't matter. */
export async function fingerprintOf(
  { method, url, headers }: Request,
  body: unknown,
  isDryRun = false,
): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  let text = ''
  const search = isDryRun ? realSearchOf(url) : searchOf(url)
  const parts = [method, pathOf(url), search, headers.get('if-match'), body ?? null]
  for (const piece of canonical(parts)) {
    text += piece
    if (text.length < TURN_LENGTH) continue
    hasher.update(text)
    text = ''
    await nextTurn()
  }
  return hasher.update(text).digest('base64url')
}

/** The query string of the request that a dry run is for. */
function realSearchOf(url: string): string {
  const kept = searchOf(url)
    .slice(1)
    .split('&')
    .filter((part) => !part.startsWith('dry_run='))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

/** A value as JSON with sorted members, in pieces. */
function* canonical(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) yield JSON.stringify(value)
  else if (Array.isArray(value)) {
    yield '['
    for (const [i, item] of value.entries()) {
      if (i > 0) yield ','
      yield* canonical(item)
    }
    yield ']'
  } else {
    const object = value as Record<string, unknown>
    yield '["object",['
    for (const [i, name] of Object.keys(object).sort().entries()) {
      yield `${i > 0 ? ',' : ''}[${JSON.stringify(name)},`
      yield* canonical(object[name])
      yield ']'
    }
    yield ']]'
  }
}

/** Rolls back a request that another process has answered in the meantime. */
class AnsweredElsewhere extends Error {}

/** See {@link createIdempotency}. */
export type Idempotency = ReturnType<typeof createIdempotency>

/**
 * Ensures that a request with a key takes effect once. Responses are in the storage; requests in
 * flight are known only to this process.
 */
export function createIdempotency(storage: Storage, clock: Clock, storedMax = STORED_MAX) {
  const inFlight = new Map<string, string>()

  async function earlier(request: IdempotentRequest): Promise<Rendered | undefined> {
    const record = await findRecord(storage.read, request, clock.now())
    if (record === undefined) return undefined
    if (record.request_hash !== request.fingerprint) throw new AppError('IDEMPOTENCY_KEY_REUSED')
    if (record.status === OMITTED) throw new AppError('IDEMPOTENCY_RESPONSE_OMITTED')
    const headers = { ...JSON.parse(record.headers), 'Idempotent-Replayed': 'true' }
    return { status: record.status, text: record.body === '' ? null : record.body, headers }
  }

  return {
    /**
     * Reserves the key for this request, until `end`. Returns the response of an earlier request. A
     * dry run only checks the key.
     * @throws AppError IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_RESPONSE_OMITTED
     */
    async begin(request: IdempotentRequest, isDryRun = false): Promise<Rendered | undefined> {
      if (isDryRun) return void (await earlier(request))
      const name = nameOf(request)
      const other = inFlight.get(name)
      if (other === request.fingerprint) {
        throw new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'Retry-After': '1' } })
      }
      if (other !== undefined) throw new AppError('IDEMPOTENCY_KEY_REUSED')
      inFlight.set(name, request.fingerprint)
      let isReserved = false
      try {
        const answer = await earlier(request)
        isReserved = answer === undefined
        return answer
      } finally {
        if (!isReserved) inFlight.delete(name)
      }
    },

    /**
     * Runs `work` and stores its response in the same transaction. Errors roll back and aren't
     * stored: the key can be retried. If another process stores a response first, that one is
     * returned.
     */
    async run(
      request: IdempotentRequest,
      work: (tx: Transaction) => Promise<Rendered>,
    ): Promise<Rendered> {
      const recorded = async (tx: Transaction) => {
        // Another node may have responded while this request waited for the workspace's lock.
        if (tx.dialect === 'postgres' && (await findRecord(tx, request, clock.now()))) {
          throw new AnsweredElsewhere()
        }
        const answer = await work(tx)
        const record = await recordOf(tx, request, answer, { now: clock.now(), storedMax })
        if (await insertRecord(tx, request, record)) return answer
        throw new AnsweredElsewhere()
      }
      try {
        return await storage.write(recorded, { workspaceNo: request.workspaceNo })
      } catch (error) {
        // The error may be an effect of the other process's request, such as a taken slug.
        const isDueToOther = error instanceof AnsweredElsewhere || error instanceof AppError
        const answer = isDueToOther ? await earlier(request) : undefined
        if (answer === undefined) throw error
        return answer
      }
    },

    end: (request: IdempotentRequest) => void inFlight.delete(nameOf(request)),
  }
}

function nameOf({ workspaceNo, key }: IdempotentRequest): string {
  return `${workspaceNo} ${key}`
}

/**
 * People's keys are separate: two people of a workspace may choose the same one. So are those of an
 * API key with a narrower scope than others have here, or restricted to some links: it may not read
 * their answers.
 */
export function ownKey(caller: Caller, scope: Scoped, key: string): string {
  if (caller.kind === 'session') return `${caller.userId}\n${key}`
  const [broadest] = sufficientFor(scope ?? 'any')
  const isNarrow = scope !== null && scope !== 'any' && !caller.scopes.has(broadest as Permission)
  return isNarrow || caller.allowed !== undefined ? `${caller.keyId}\n${key}` : key
}

/** The record of this key, unless it is older than a day. */
function findRecord({ db }: Sql, { workspaceNo, key }: IdempotentRequest, now: number) {
  return db
    .selectFrom('idempotency')
    .select(['request_hash', 'status', 'headers', 'body'])
    .where('workspace_no', '=', workspaceNo)
    .where('key', '=', key)
    .where('created_at', '>', now - KEPT_MS)
    .executeTakeFirst()
}

/** What is stored of a response: not its text, if its workspace has too many large ones. */
async function recordOf(
  { db }: Transaction,
  { workspaceNo, fingerprint }: IdempotentRequest,
  { status, headers, text }: Rendered,
  { now, storedMax }: { now: number; storedMax: number },
) {
  const body = text ?? ''
  const size = Buffer.byteLength(body)
  const bytes = size < LARGE_BYTES ? 0 : size
  const record = { request_hash: fingerprint, created_at: now }
  if (bytes > 0) {
    const stored = db
      .selectFrom('idempotency')
      .select(({ fn }) => fn.sum<number | string | null>('bytes').as('sum'))
      .where('workspace_no', '=', workspaceNo)
      .where('created_at', '>', now - KEPT_MS)
      .where(sql<boolean>`bytes > 0`)
    const { sum } = await stored.executeTakeFirstOrThrow()
    if (Number(sum) + bytes > storedMax)
      return { ...record, status: OMITTED, headers: '{}', body: '', bytes: 0 }
  }
  return { ...record, status, headers: JSON.stringify(headers), body, bytes }
}

/** Stores a record. False: the key has one already, which stays. */
async function insertRecord(
  { db }: Transaction,
  { workspaceNo, key }: IdempotentRequest,
  record: Awaited<ReturnType<typeof recordOf>>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('idempotency')
    .values({ workspace_no: workspaceNo, key, ...record })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_no', 'key'])
        .doUpdateSet(record)
        .where('idempotency.created_at', '<=', record.created_at - KEPT_MS),
    )
    .returning('key')
    .execute()
  return inserted.length === 1
}

/** Deletes records older than a day, in small steps. Returns how many. */
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
