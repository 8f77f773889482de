import type { Clock } from '../base/clock.ts'
import { AppError } from '../errors/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import type { Rendered } from './errors.ts'
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
    details: [{ field: 'Idempotency-Key', code: 'INVALID_HEADER' }],
  })
}

/** What a request asks for, in 43 characters: method, path and body, byte for byte. */
export function fingerprintOf(method: string, path: string, body: Uint8Array): string {
  const hasher = new Bun.CryptoHasher('sha256')
  hasher.update(`${method} ${path}\n`)
  hasher.update(body)
  return hasher.digest('base64url')
}

/** Sees to it that a request with a key has its effect once. */
export interface Idempotency {
  /**
   * Takes the key for this request, until `end`. Returns what was answered before, if it was.
   * @throws AppError IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED
   */
  begin(request: IdempotentRequest): Promise<Rendered | undefined>
  /**
   * Runs `work` and records its answer in the same transaction; an error that speaks of the
   * state of things (404, 409, 412) is recorded after the rollback. Whoever loses the race
   * against another process gets the other's answer.
   */
  run(
    request: IdempotentRequest,
    work: (tx: Transaction) => Promise<Rendered>,
    renderError: (error: AppError) => Rendered,
  ): Promise<Rendered>
  end(request: IdempotentRequest): void
}

/** Undoes the transaction of a request that another process has answered meanwhile. */
class AnsweredMeanwhile extends Error {}

/** Errors that speak of the state of things: they are answered again to the same key. */
export const RECORDED_ERRORS: ReadonlySet<number> = new Set([404, 409, 412])

/** The records lie in the storage; which requests are being worked on is known to this process. */
export function createIdempotency(storage: Storage, clock: Clock): Idempotency {
  const inFlight = new Map<string, string>()

  async function earlier(request: IdempotentRequest): Promise<Rendered | undefined> {
    const record = await findRecord(storage.read, request, clock.now())
    if (record === undefined) return undefined
    if (record.fingerprint !== request.fingerprint) throw new AppError('IDEMPOTENCY_KEY_REUSED')
    const { status, text, headers } = record.answer
    return { status, text, headers: { ...headers, 'Idempotent-Replayed': 'true' } }
  }

  /** Records in a transaction; the answer that stands is then this one. */
  function recorded(
    request: IdempotentRequest,
    work: (tx: Transaction) => Promise<Rendered>,
  ): Promise<Rendered> {
    const { workspaceNo } = request
    return storage.write(
      async (tx) => {
        // Another node may have answered while this request waited for the workspace: all that
        // its answer depends on is different now.
        if (tx.dialect === 'postgres' && (await findRecord(tx, request, clock.now()))) {
          throw new AnsweredMeanwhile()
        }
        const answer = await work(tx)
        if (await insertRecord(tx, request, answer, clock.now())) return answer
        throw new AnsweredMeanwhile()
      },
      { workspaceNo },
    )
  }

  return {
    async begin(request) {
      const name = nameOf(request)
      const other = inFlight.get(name)
      if (other !== undefined) {
        throw new AppError(
          other === request.fingerprint ? 'IDEMPOTENCY_IN_PROGRESS' : 'IDEMPOTENCY_KEY_REUSED',
        )
      }
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

    async run(request, work, renderError) {
      try {
        return await recorded(request, work).catch((error: unknown) => {
          if (!(error instanceof AppError) || !RECORDED_ERRORS.has(error.status)) throw error
          const answer = renderError(error)
          return recorded(request, async () => answer)
        })
      } catch (error) {
        if (!(error instanceof AnsweredMeanwhile)) throw error
        const answer = await earlier(request)
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

/** Two people of a workspace who choose the same key don't meet. */
export function ownKey(caller: Caller, key: string): string {
  return caller.kind === 'session' ? `${caller.userId}\n${key}` : key
}
