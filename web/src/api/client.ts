import createClient from 'openapi-fetch'
import { ApiError, errorOf } from './errors.ts'
import type { components, paths } from './schema.d.ts'

/** A schema of the API by name. */
export type Schemas = components['schemas']

const BASE = '/app'

/** The base path of requests, and the access token of shared statistics. */
const target: { base: string; access: string | null } = { base: BASE, access: null }

/** Sends {@link request} to another base path: shared statistics, with their access token. */
export function setApiTarget(base: string, access: string | null): void {
  target.base = base
  target.access = access
}

/** Added to every request: the workspace, the language, and callbacks. */
const context: {
  workspace: string | null
  language: string | null
  signedOut: () => Promise<boolean>
  confirmNeeded: () => Promise<boolean>
} = {
  workspace: null,
  language: null,
  signedOut: async () => false,
  confirmNeeded: async () => false,
}

/** Sets the workspace of all following requests. */
export function setApiWorkspace(id: string | null): void {
  context.workspace = id
}

/** Sets the language of responses. */
export function setApiLanguage(language: string): void {
  context.language = language
}

/**
 * Sets what happens when the session has ended; true: the person has signed in again, and the request
 * is sent again. Returns a function that unsets it.
 */
export function onSignedOut(ask: () => Promise<boolean>): () => void {
  const before = context.signedOut
  context.signedOut = ask
  return () => {
    context.signedOut = before
  }
}

/** Asks for a new session; see {@link onSignedOut}. */
export function sessionEnded(): Promise<boolean> {
  return context.signedOut()
}

/**
 * Sets how the person confirms their identity when the server requires it; true: the request is
 * sent again. Returns a function that unsets it.
 */
export function onConfirmNeeded(confirm: () => Promise<boolean>): () => void {
  const before = context.confirmNeeded
  context.confirmNeeded = confirm
  return () => {
    context.confirmNeeded = before
  }
}

/** A server that doesn't respond for this long is reported, instead of a spinner forever. */
const TIMEOUT_MS = 30_000

async function send(request: Request, timeoutMs = TIMEOUT_MS): Promise<Response> {
  const { headers, method } = request
  if (context.workspace !== null && !headers.has('Slugline-Workspace')) {
    headers.set('Slugline-Workspace', context.workspace)
  }
  if (target.access !== null) headers.set('Authorization', `Bearer ${target.access}`)
  if (context.language !== null) headers.set('Accept-Language', context.language)
  if (method === 'POST' && !headers.has('Idempotency-Key')) {
    headers.set('Idempotency-Key', randomKey())
  }
  const again = request.clone()
  let response: Response
  try {
    response = await fetchInTime(request, timeoutMs)
  } catch (error) {
    if (request.signal.aborted) throw error
    throw new ApiError(0, error instanceof TimedOut ? 'TIMEOUT' : 'NETWORK', '')
  }
  if (response.status === 403 && (await codeOf(response.clone())) === 'REAUTHENTICATION_REQUIRED') {
    if (await context.confirmNeeded()) return fetchInTime(again, timeoutMs)
  }
  if (response.status === 401 && !request.url.includes('/api/auth/')) {
    if (await context.signedOut()) return fetchInTime(again, timeoutMs)
  }
  return response
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body = parsed(await response.text()) as { error?: { code?: string } } | undefined
  return body?.error?.code
}

class TimedOut extends Error {}

/** Waits for the response's headers only: a stream or a file may take longer. */
async function fetchInTime(request: Request, timeoutMs: number): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new TimedOut()), timeoutMs)
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) })
  } finally {
    clearTimeout(timer)
  }
}

/** Unlike `crypto.randomUUID` also available on plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The API, typed from its document: `ok(api.GET('/api/v1/links', { params }))`. */
export const api = createClient<paths>({
  baseUrl: BASE,
  fetch: (request) => send(request),
  // `tag=a&tag=b`, the API's form of repeated parameters.
  querySerializer: { array: { style: 'form', explode: true } },
})

/** The body of a success. @throws ApiError */
export async function ok<T>(
  answer: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await answer
  if (!response.ok) throw errorOf(response, error)
  return data as NonNullable<T>
}

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** What a request may have besides its path. */
export interface RequestOptions {
  query?: Query
  body?: unknown
  /** A body that isn't JSON, and its media type. */
  raw?: { body: Blob; type: string }
  /** The timeout; default: half a minute. */
  timeoutMs?: number
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Query parameters in the API's form: lists are repeated, absent ones omitted. */
function queryString(query: Query = {}): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one))
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Sends a request below the base path, leaving the body for streams and files. @throws ApiError */
export async function open(
  method: string,
  path: string,
  { query, body, raw, timeoutMs, headers, signal }: RequestOptions = {},
): Promise<Response> {
  const init: RequestInit = { method, headers: { ...headers } }
  if (signal) init.signal = signal
  if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { 'Content-Type': 'application/json', ...headers }
  }
  if (raw !== undefined) {
    init.body = raw.body
    init.headers = { 'Content-Type': raw.type, ...headers }
  }
  const url = new URL(`${target.base}${path}${queryString(query)}`, location.href)
  const response = await send(new Request(url, init), timeoutMs)
  if (!response.ok) throw errorOf(response, parsed(await response.text()))
  return response
}

/**
 * Sends a request with its path below the base, where {@link api} can't: for `/api/auth/…`, which
 * isn't in the document, and for statistics, whose path and base depend on whether they are shared.
 * Returns the parsed JSON, or undefined without a body.
 * @throws ApiError
 */
export async function request<T>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const response = await open(method, path, options)
  return parsed(await response.text()) as T
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
