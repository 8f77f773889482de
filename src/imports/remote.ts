import { setTimeout as wait } from 'node:timers/promises'
import { unseal } from '../base/seal.ts'
import { AppError } from '../errors/index.ts'
import type { JobRun } from '../jobs/index.ts'
import { AddressNotAllowed, type Outgoing, type OutgoingAnswer } from '../outgoing/index.ts'
import {
  type Batch,
  type ImportDeps,
  type ImportInput,
  type ImportResult,
  type ImportState,
  importRecords,
} from './run.ts'
import { type Ask, SOURCES, type SourceName } from './sources/index.ts'
import { UnexpectedAnswer } from './sources/types.ts'
import { findToken } from './store.ts'

/** An import from a running service. */
export interface RemoteInput extends ImportInput {
  source: SourceName
  baseUrl: string
}

/** Dependencies of importing from a service. */
export interface RemoteDeps extends ImportDeps {
  outgoing: Outgoing
  /** `imports` encrypts tokens. */
  secrets: { readonly imports: Uint8Array }
  /** Waits between two attempts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** How often a page is requested before the import fails. */
const TRIES = 6
/** The longest wait that a service may demand. */
const WAIT_MAX_MS = 300_000

/** Imports all links of a service. @throws AppError SOURCE_FAILED, SOURCE_REFUSED, URL_NOT_ALLOWED */
export async function importRemote(
  deps: RemoteDeps,
  run: JobRun<RemoteInput, ImportState>,
): Promise<ImportResult> {
  const { source, baseUrl } = run.job.input
  const sealed = await findToken(deps.storage.read, run.job.id)
  if (sealed === null) throw new AppError('SOURCE_REFUSED')
  const token = unseal(deps.secrets.imports, sealed, run.job.id)
  const ask = createAsk(deps, baseUrl, run.signal)
  async function* read(state: ImportState): AsyncIterable<Batch> {
    // Null: the last page was imported.
    let { cursor } = state
    while (cursor !== null) {
      const page = await SOURCES[source].page(ask, token, cursor ?? null)
      const total = page.total ?? state.total
      yield { records: page.records, cursor: page.next, total }
      cursor = page.next
    }
  }
  try {
    return await importRecords(deps, run, read)
  } catch (error) {
    if (error instanceof UnexpectedAnswer) throw new AppError('SOURCE_FAILED', { cause: error })
    throw error
  }
}

/** Requests from a service, with retries. */
function createAsk(
  { outgoing, sleep = (ms, signal) => wait(ms, undefined, { signal }) }: RemoteDeps,
  baseUrl: string,
  signal: AbortSignal,
): Ask {
  return async (path, query, headers = {}, form) => {
    const url = new URL(baseUrl.replace(/\/+$/, '') + path)
    url.search = new URLSearchParams(query).toString()
    for (let tries = 1; ; tries++) {
      const answer = await attempt(outgoing, url, { headers, form, signal })
      if (answer !== null && answer.status < 300) return parsed(answer.text)
      const status = answer?.status ?? 0
      if (status === 401 || status === 403) throw new AppError('SOURCE_REFUSED')
      const isPassing = status === 0 || status === 429 || status >= 500
      const ms = waitOf(answer, tries)
      if (!isPassing || tries === TRIES || ms > WAIT_MAX_MS) throw new AppError('SOURCE_FAILED')
      await sleep(ms, signal)
    }
  }
}

/** Null: there was no response. */
async function attempt(
  outgoing: Outgoing,
  url: URL,
  how: {
    headers: Readonly<Record<string, string>>
    form: Readonly<Record<string, string>> | undefined
    signal: AbortSignal
  },
): Promise<OutgoingAnswer | null> {
  const { headers, form, signal } = how
  try {
    return await outgoing.send(url, {
      headers,
      signal,
      ...(form && { method: 'POST', body: form }),
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AddressNotAllowed) throw new AppError('URL_NOT_ALLOWED')
    return null
  }
}

/** @throws AppError SOURCE_FAILED */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('SOURCE_FAILED')
  }
}

/** The service's `Retry-After` (RFC 9110 §10.2.3), or exponential backoff. */
function waitOf(answer: OutgoingAnswer | null, tries: number): number {
  const header = answer?.headers['retry-after']
  if (typeof header === 'string') {
    const seconds = Number(header)
    const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000
    if (Number.isFinite(ms)) return Math.max(1_000, ms)
  }
  return 1_000 * 2 ** (tries - 1)
}
