import type { Clock } from '../../lib/base/clock.ts'
import { unseal } from '../../lib/base/seal.ts'
import { nextTurn } from '../../lib/base/turn.ts'
import { AppError } from '../../lib/errors/index.ts'
import {
  AddressNotAllowed,
  AnswerTooLarge,
  type Outgoing,
  type OutgoingAnswer,
} from '../../platform/outgoing/index.ts'
import type { JobRun } from '../jobs/index.ts'
import { parseJson, RECORD_LENGTH_MAX, type ReadRecord, TooComplex } from './records.ts'
import { BATCH, type ImportDeps, importRecords } from './run.ts'
import { type Ask, SOURCES, type SourceName } from './sources/index.ts'
import { type Page, UnexpectedAnswer } from './sources/types.ts'
import type { Batch, ImportInput } from './state.ts'
import { type ImportResult, type ImportState, type Position, ReadLater } from './state.ts'
import { findToken } from './store.ts'

/** An import from a running service. */
export interface RemoteInput extends ImportInput {
  source: SourceName
  baseUrl: string
}

/** Dependencies of importing from a service. */
export interface RemoteDeps extends ImportDeps {
  clock: Clock
  outgoing: Outgoing
  /** `imports` encrypts tokens. */
  secrets: { readonly imports: Uint8Array }
  bounds?: Partial<typeof BOUNDS>
}

/** What a service can't exceed, besides what {@link Outgoing} bounds. */
const BOUNDS = {
  /** Pages of an import. */
  pages: 50_000,
  /** Records of a page; services return at most 150. */
  records: 10_000,
  /** How often a page is requested before the import fails. */
  tries: 6,
  /** Failed requests of an import. */
  waits: 1_000,
}
/** The most values and signs of a response: they take much more memory than their bytes. */
const TOKENS_MAX = 1_000_000
/** The longest position of a page: it is stored with each step. */
const CURSOR_LENGTH_MAX = 65_536
/** The longest wait that a service may demand. */
const WAIT_MAX_MS = 300_000
/** How long an import may take, its waits included. */
const TIME_MAX_MS = 24 * 3_600_000

/** A response that isn't an answer; the request can be repeated. */
class Unanswered extends Error {
  constructor(
    /** Null: the service doesn't say. */
    readonly ms: number | null,
    /** What the import fails with if that doesn't help. */
    readonly code: 'SOURCE_FAILED' | 'SOURCE_RATE_LIMITED',
  ) {
    super()
  }
}

const START: Position = {
  cursor: null,
  done: 0,
  isEnded: false,
  pages: 0,
  digest: null,
  tries: 0,
  waits: 0,
}

/**
 * Imports all links of a service, in the same steps as a file. What the service sends is bounded in
 * bytes, records, pages and time.
 * @throws AppError SOURCE_FAILED, SOURCE_REFUSED, SOURCE_TOO_LARGE, SOURCE_ENDLESS, SOURCE_TIMEOUT,
 *   SOURCE_RATE_LIMITED, URL_NOT_ALLOWED
 */
export async function importRemote(
  deps: RemoteDeps,
  run: JobRun<RemoteInput, ImportState>,
): Promise<ImportResult> {
  const { source, baseUrl } = run.job.input
  const { clock } = deps
  const bounds = { ...BOUNDS, ...deps.bounds }
  const sealed = await findToken(deps.storage.read, run.job.id)
  if (sealed === null) throw new AppError('SOURCE_REFUSED')
  const token = unseal(deps.secrets.imports, sealed, run.job.id)
  const ask = createAsk(deps, baseUrl, run.signal)
  const until = run.job.startedAt + TIME_MAX_MS

  async function pageAt(position: Position): Promise<Page> {
    if (clock.now() > until) throw new AppError('SOURCE_TIMEOUT')
    if (position.pages === bounds.pages) throw new AppError('SOURCE_ENDLESS')
    try {
      const page = await SOURCES[source].page(ask, token, position.cursor)
      const isLong = (page.next?.length ?? 0) > CURSOR_LENGTH_MAX
      if (page.records.length > bounds.records || isLong) throw new AppError('SOURCE_TOO_LARGE')
      return page
    } catch (error) {
      if (error instanceof UnexpectedAnswer) throw new AppError('SOURCE_FAILED', { cause: error })
      if (!(error instanceof Unanswered)) throw error
      const { code } = error
      const tries = position.tries + 1
      const ms = error.ms ?? 1_000 * 2 ** position.tries
      const waits = position.waits + 1
      if (ms > WAIT_MAX_MS || waits > bounds.waits) throw new AppError('SOURCE_RATE_LIMITED')
      if (tries === bounds.tries) throw new AppError(code)
      throw new ReadLater(ms, { ...position, tries, waits })
    }
  }

  return importRecords(deps, run, async function* (state): AsyncIterable<Batch> {
    let position = state.position ?? START
    while (!position.isEnded) {
      const page = await pageAt(position)
      const { records, digest } = await examined(page.records)
      if (digest !== null && digest === position.digest) throw new AppError('SOURCE_ENDLESS')
      const at = { ...position, tries: 0 }
      position = after(at, page, digest)
      const total = page.total ?? state.total
      const ended = position
      let done = at.done
      const positionAfter = (from: number) => (count: number) =>
        from + count < records.length ? { ...at, done: from + count } : ended
      do {
        const some = records.slice(done, done + BATCH)
        yield { records: some, positionAfter: positionAfter(done), total }
        done += BATCH
      } while (done < records.length)
    }
  })
}

/**
 * The position after a page. Each page is compared with the last one whose number is a power of
 * two, so that a repetition is noticed however many pages it has (Brent's algorithm).
 */
function after(at: Position, { next }: Page, digest: string | null): Position {
  const pages = at.pages + 1
  const isKept = digest !== null && Number.isInteger(Math.log2(pages))
  return {
    ...at,
    cursor: next,
    isEnded: next === null,
    done: 0,
    pages,
    digest: isKept ? digest : at.digest,
  }
}

/** The records, those that are too long as unreadable; and what identifies them. Null: none. */
async function examined(records: Page['records']) {
  if (records.length === 0) return { records, digest: null }
  const hasher = new Bun.CryptoHasher('sha256')
  const read: ReadRecord[] = []
  for (const [i, record] of records.entries()) {
    if (i % BATCH === BATCH - 1) await nextTurn()
    const text = textOf(record)
    hasher.update(text ?? '')
    read.push(text === null || text.length > RECORD_LENGTH_MAX ? null : record)
  }
  return { records: read, digest: hasher.digest('base64url') }
}

/** Null: it is nested too deep. */
function textOf(record: object): string | null {
  try {
    return JSON.stringify(record)
  } catch {
    return null
  }
}

/** Requests from a service. The function throws Unanswered if it can be repeated. */
function createAsk({ outgoing, clock }: RemoteDeps, baseUrl: string, signal: AbortSignal): Ask {
  return async (path, query, headers = {}, form) => {
    const url = new URL(baseUrl.replace(/\/+$/, '') + path)
    url.search = new URLSearchParams(query).toString()
    const how = { headers, signal, ...(form && { method: 'POST' as const, body: form }) }
    const answer = await outgoing.send(url, how).catch((error) => {
      signal.throwIfAborted()
      if (error instanceof AddressNotAllowed) throw new AppError('URL_NOT_ALLOWED')
      if (error instanceof AnswerTooLarge) throw new AppError('SOURCE_TOO_LARGE')
      return null
    })
    const status = answer?.status ?? 0
    if (status === 401 || status === 403) throw new AppError('SOURCE_REFUSED')
    if (status === 0 || status === 429 || status >= 500) {
      const code = status === 429 ? 'SOURCE_RATE_LIMITED' : 'SOURCE_FAILED'
      throw new Unanswered(waitOf(answer, clock), code)
    }
    if (answer === null || status >= 300) throw new AppError('SOURCE_FAILED')
    try {
      return await parseJson(answer.body.toString('utf8'), TOKENS_MAX)
    } catch (error) {
      throw new AppError(error instanceof TooComplex ? 'SOURCE_TOO_LARGE' : 'SOURCE_FAILED')
    }
  }
}

/** The service's `Retry-After` (RFC 9110 §10.2.3). */
function waitOf(answer: OutgoingAnswer | null, clock: Clock): number | null {
  const header = answer?.headers['retry-after']
  if (typeof header === 'string') {
    const seconds = Number(header)
    const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.now() : seconds * 1_000
    if (Number.isFinite(ms)) return Math.max(1_000, ms)
  }
  return null
}
