import { ConnectionError, errorOf, InvalidIdError, RedirectError, SluglineError } from './errors.js'

/** How to reach an instance. */
export interface ClientOptions {
  /** The instance, such as `https://sho.rt`. */
  baseUrl: string
  /** Without one, only public endpoints can be called. */
  apiKey?: string
  /** The language of messages, such as `de`. */
  language?: string
  /** How often a failed request is repeated; 3 by default. */
  maxRetries?: number
  /** How long one attempt may take, in milliseconds; a minute by default. */
  timeoutMs?: number
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch
}

/** Options of one request. */
export interface RequestOptions {
  signal?: AbortSignal
  maxRetries?: number
  timeoutMs?: number
}

/** Options of a request that changes something. */
export interface WriteOptions<Q = object> extends RequestOptions {
  /** Further parameters, such as `dry_run`. */
  query?: Q
  /** Makes retries safe beyond this call. By default each call has one of its own. */
  idempotencyKey?: string
  /** Only if the object still has this version (412 otherwise), or this ETag. */
  ifMatch?: number | string
}

/** A request. */
export interface Send extends WriteOptions {
  method: string
  /** Without `/api/v1`. */
  path: string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is. */
  upload?: { data: string | Blob | ArrayBuffer | Uint8Array; type: string }
  headers?: Record<string, string>
  /** The endpoint takes no `Idempotency-Key`, so a repetition could have a second effect. */
  once?: boolean
}

/** A server that asks for a longer pause gets no retry. */
const LONGEST_PAUSE_SECONDS = 60
const FIRST_PAUSE_MS = 500

/** Sends requests: authentication, retries, timeouts, errors. */
export class Transport {
  readonly #options: ClientOptions
  readonly #baseUrl: string

  constructor(options: ClientOptions) {
    this.#options = options
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
  }

  /** The response's JSON; undefined if it has no body. */
  json(send: Send): Promise<unknown> {
    return this.#retry(send, async (response) => {
      const text = await response.text()
      try {
        return text === '' ? undefined : JSON.parse(text)
      } catch {
        throw errorOf(this.#baseUrl, response, '')
      }
    })
  }

  /** The response, whose body is still to be read; its timeout ends with its headers. */
  response(send: Send): Promise<Response> {
    return this.#retry(send, async (response) => response)
  }

  async #retry<T>(send: Send, read: (response: Response) => Promise<T>): Promise<T> {
    const isWrite = send.method !== 'GET'
    const key = send.idempotencyKey ?? (isWrite && !send.once ? randomKey() : undefined)
    const request = this.#request(send, isWrite ? key : undefined)
    const maxRetries = send.maxRetries ?? this.#options.maxRetries ?? 3
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(send, request, read)
      } catch (error) {
        send.signal?.throwIfAborted()
        if (!(error instanceof SluglineError)) throw error
        const isSafe = !isWrite || key !== undefined || error.status === 429
        const pause = error.retryAfterSeconds ?? 0
        if (!isSafe || !isTransient(error)) throw error
        if (attempt >= maxRetries || pause > LONGEST_PAUSE_SECONDS) throw error
        await sleep(pause * 1000 || backoffMs(attempt), send.signal)
      }
    }
  }

  async #attempt<T>(
    { signal, timeoutMs = this.#options.timeoutMs ?? 60_000 }: Send,
    { url, init }: { url: string; init: RequestInit },
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const timeout = new AbortController()
    const timer = setTimeout(
      () => timeout.abort(new Error(`No response within ${timeoutMs} ms.`)),
      timeoutMs,
    )
    const either = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal
    try {
      const call = this.#options.fetch ?? globalThis.fetch
      const response = await call(url, { ...init, signal: either })
      if (!response.ok) throw errorOf(this.#baseUrl, response, await response.text())
      return await read(response)
    } catch (error) {
      throw error instanceof SluglineError ? error : new ConnectionError(this.#baseUrl, error)
    } finally {
      clearTimeout(timer)
    }
  }

  #request(send: Send, key: string | undefined): { url: string; init: RequestInit } {
    const { apiKey, language } = this.#options
    const headers: Record<string, string> = { Accept: 'application/json', ...send.headers }
    if (apiKey !== undefined) headers.Authorization = `Bearer ${apiKey}`
    if (language !== undefined) headers['Accept-Language'] = language
    if (key !== undefined) headers['Idempotency-Key'] = key
    if (typeof send.ifMatch === 'number') headers['If-Match'] = `"${send.ifMatch}"`
    else if (send.ifMatch !== undefined) headers['If-Match'] = send.ifMatch
    const init: RequestInit = { method: send.method, headers, redirect: 'manual' }
    if (send.body !== undefined) {
      headers['Content-Type'] = 'application/json'
      init.body = JSON.stringify(send.body)
    } else if (send.upload !== undefined) {
      headers['Content-Type'] = send.upload.type
      init.body = send.upload.data as NonNullable<RequestInit['body']>
    }
    return { url: `${this.#baseUrl}/api/v1${send.path}${queryOf(send.query)}`, init }
  }
}

/** Whether the same request may succeed later. */
export function isTransient(error: SluglineError): boolean {
  const { status, code } = error
  if (error instanceof RedirectError) return false
  return status === 0 || status === 429 || status >= 500 || code === 'IDEMPOTENCY_IN_PROGRESS'
}

/** @throws InvalidIdError for a part of a path, encoded or not, that makes it another path */
export function assertId(id: string): void {
  if (/^(\.|%2e){0,2}$/i.test(id)) throw new InvalidIdError(id)
}

/** A pause that doubles with each attempt, up to 8 seconds, with jitter. */
export function backoffMs(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, 8000) * (0.5 + Math.random() / 2)
}

/** @throws the signal's reason */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

// Not `crypto.randomUUID`, which browsers have only on pages with TLS.
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function queryOf(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one != null) search.append(name, String(one))
  }
  return search.size > 0 ? `?${search}` : ''
}
