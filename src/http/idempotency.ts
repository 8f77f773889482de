import type { Clock } from '../base/clock.ts'
import { AppError, type Rendered } from '../errors/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { findRecord, type IdempotentRequest, insertRecord } from './idempotency-store.ts'
import type { Caller } from './types.ts'

const BARE = /^[\x21-\x7e]{1,255}$/
/** A string of RFC 8941 §3.3.3: quotes and backslashes are escaped, nothing else is. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/**
 * The key that an `Idempotency-Key` header holds: 1–255 visible characters, or a quoted string as
 * draft-ietf-httpapi-idempotency-key-header has it. Both spellings are the same key.
 * @throws AppError BAD_REQUEST
 */
export function idempotencyKeyOf(header: string): string {
  const value = header.trim()
  const quoted = QUOTED.exec(value)?.[1]?.replace(/\\(.)/g, '$1')
  const key = quoted ?? (value.startsWith('"') ? '' : value)
  if (quoted === undefined ? BARE.test(key) : key.length >= 1 && key.length <= 255) return key
  throw new AppError('BAD_REQUEST', {
    details: [
      { field: 'Idempotency-Key', code: 'INVALID_HEADER', params: { expected: '[!-~]{1,255}' } },
    ],
  })
}

/** Everything that makes a request the same as another one. */
export interface RequestContent {
  method: string
  path: string
  /** With its `?`, or empty. */
  search: string
  ifMatch: string | null
  /** The parsed body: another spelling of the same JSON is the same request. */
  body: unknown
}

/** A digest of what a request asks for, in 43 characters. */
export function fingerprintOf({ method, path, search, ifMatch, body }: RequestContent): string {
  const content = JSON.stringify([method, path, search, ifMatch, body ?? null], sortKeys)
  return new Bun.CryptoHasher('sha256').update(content).digest('base64url')
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  // Pairs, not an object: objects put keys that look like numbers first, and `__proto__` nowhere.
  return ['object', entries]
}

/** Ensures that a request with a key has its effect once. */
export interface Idempotency {
  /**
   * Reserves the key for this request, until `end`. Returns the answer of an earlier request.
   * @throws AppError IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED
   */
  begin(request: IdempotentRequest): Promise<Rendered | undefined>
  /**
   * Runs `work` and records its answer in the same transaction. Errors roll it back and aren't
   * recorded: the same key may be tried again. If another process records an answer first, that
   * one is returned.
   */
  run(request: IdempotentRequest, work: (tx: Transaction) => Promise<Rendered>): Promise<Rendered>
  end(request: IdempotentRequest): void
}

/** Rolls back a request that another process has answered in the meantime. */
class AnsweredElsewhere extends Error {}

/** Records are in the storage; this process alone knows which requests are in flight. */
export function createIdempotency(storage: Storage, clock: Clock): Idempotency {
  const inFlight = new Map<string, string>()

  async function earlier(request: IdempotentRequest): Promise<Rendered | undefined> {
    const record = await findRecord(storage.read, request, clock.now())
    if (record === undefined) return undefined
    if (record.fingerprint !== request.fingerprint) throw new AppError('IDEMPOTENCY_KEY_REUSED')
    const { status, text, headers } = record.answer
    return { status, text, headers: { ...headers, 'Idempotent-Replayed': 'true' } }
  }

  return {
    async begin(request) {
      const name = nameOf(request)
      const other = inFlight.get(name)
      if (other === request.fingerprint) {
        throw new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'Retry-After': '1' } })
      }
      if (other !== undefined) throw new AppError('IDEMPOTENCY_KEY_REUSED')
      inFlight.set(name, request.fingerprint)
      try {
        const answer = await earlier(request)
        if (answer !== undefined) inFlight.delete(name)
        return answer
      } catch (error) {
        inFlight.delete(name)
        throw error
      }
    },

    async run(request, work) {
      const { workspaceNo } = request
      const recorded = async (tx: Transaction) => {
        // Another node may have answered while this request waited for the workspace's row.
        if (tx.dialect === 'postgres' && (await findRecord(tx, request, clock.now()))) {
          throw new AnsweredElsewhere()
        }
        const answer = await work(tx)
        if (await insertRecord(tx, request, answer, clock.now())) return answer
        throw new AnsweredElsewhere()
      }
      try {
        return await storage.write(recorded, { workspaceNo })
      } catch (error) {
        // An error may be due to the effect of the other process, a taken slug for instance.
        const answer =
          error instanceof AnsweredElsewhere || error instanceof AppError
            ? await earlier(request)
            : undefined
        if (answer === undefined) throw error
        return answer
      }
    },

    end: (request) => void inFlight.delete(nameOf(request)),
  }
}

function nameOf({ workspaceNo, key }: IdempotentRequest): string {
  return `${workspaceNo} ${key}`
}

/** Keys of people are their own: two people of a workspace may choose the same one. */
export function ownKey(caller: Caller, key: string): string {
  return caller.kind === 'session' ? `${caller.userId}\n${key}` : key
}
