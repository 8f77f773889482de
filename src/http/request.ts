import type { z } from '@hono/zod-openapi'
import { AppError, type AppErrorOptions, type ErrorDetail } from '../lib/errors/index.ts'
import { parseFor } from '../lib/validation/checked.ts'
import { detailsOfZodError } from './details.ts'
import { parseJsonObject } from './json.ts'
import type { AnyEndpoint } from './types.ts'

/** The most bytes of a body, by default. */
const BODY_BYTES_MAX = 64 * 1024

const JSON_TYPES = ['application/json']
const PATCH_TYPES = ['application/merge-patch+json', 'application/json']

/** The media types of PATCH: the value of `Accept-Patch` (RFC 5789 §3.1). */
export const ACCEPT_PATCH = PATCH_TYPES.join(', ')

/**
 * The bytes of the body.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE; INVALID_JSON when it is cut off.
 */
export async function readBody(
  request: Request,
  isPatch: boolean,
  bytesMax = BODY_BYTES_MAX,
): Promise<Uint8Array> {
  const { headers } = request
  const type = headers.get('content-type')
  const encoding = headers.get('content-encoding')
  if (type === null || !isOneOf(type, isPatch ? PATCH_TYPES : JSON_TYPES)) {
    throw unsupported(isPatch)
  }
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw unsupported(isPatch, {
      headers: { 'Accept-Encoding': 'identity' },
      details: [
        { field: 'Content-Encoding', code: 'INVALID_HEADER', params: { expected: 'identity' } },
      ],
    })
  }
  const length = headers.get('content-length')
  if (length !== null && Number(length) > bytesMax)
    throw new AppError('PAYLOAD_TOO_LARGE', { params: { max: bytesMax } })
  try {
    if (length !== null || request.body === null) return new Uint8Array(await request.arrayBuffer())
    return await readStream(request.body, bytesMax)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('INVALID_JSON')
  }
}

/**
 * Whether a `Content-Type` is one of these. A charset parameter must be UTF-8: JSON has no other
 * (RFC 8259 §8.1), though many clients state it.
 */
function isOneOf(contentType: string, types: readonly string[]): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (!types.includes(type.trim())) return false
  return parameters.every((parameter) => !/^\s*charset\s*=(?!\s*"?utf-8"?\s*$)/.test(parameter))
}

function unsupported(isPatch: boolean, { headers, details }: AppErrorOptions = {}): AppError {
  const allowed = isPatch ? PATCH_TYPES : JSON_TYPES
  return new AppError('UNSUPPORTED_MEDIA_TYPE', {
    params: { allowed },
    details,
    headers: { [isPatch ? 'Accept-Patch' : 'Accept-Post']: allowed.join(', '), ...headers },
  })
}

/** Reads a body of unknown length, up to a maximum. */
async function readStream(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > bytesMax) throw new AppError('PAYLOAD_TOO_LARGE', { params: { max: bytesMax } })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

/** The object in a request's body; `{}` if the body is optional and absent. */
export async function bodyOf(
  request: Request,
  { method, bodyOptional, bodyBytesMax }: AnyEndpoint,
): Promise<Record<string, unknown>> {
  if (bodyOptional && lacksBody(request)) return {}
  return parseJsonObject(await readBody(request, method === 'patch', bodyBytesMax))
}

/** Whether a request has no body (RFC 9112 §6.3). */
function lacksBody({ headers }: Request): boolean {
  return (
    headers.get('content-type') === null &&
    headers.get('transfer-encoding') === null &&
    Number(headers.get('content-length') ?? 0) === 0
  )
}

/** How an input is validated. */
interface Validation {
  /** Renames the failing fields. */
  named?: ((details: readonly ErrorDetail[]) => ErrorDetail[]) | undefined
  /** The workspace that asks; null: none. */
  workspaceNo?: number | null
}

/**
 * Validates an input.
 * @throws AppError VALIDATION_FAILED with every failing field
 */
export function validate<S extends z.ZodType>(
  schema: S,
  input: unknown,
  { named = (details) => [...details], workspaceNo = null }: Validation = {},
): z.output<S> {
  const result = parseFor(workspaceNo, schema, input)
  if (result.success) return result.data
  throw refusal(named(detailsOfZodError(result.error, input, schema)))
}

function refusal(details: ErrorDetail[]): AppError {
  // Alone, it becomes the top-level error.
  const isUnverified = details.every(({ code }) => code === 'DOMAIN_NOT_VERIFIED')
  return new AppError(isUnverified ? 'DOMAIN_NOT_VERIFIED' : 'VALIDATION_FAILED', { details })
}

/**
 * Runs all checks, even after a failed one.
 * @throws AppError VALIDATION_FAILED with the failing fields of all
 */
export function checkAll(...checks: (() => void)[]): void {
  const failing: ErrorDetail[] = []
  for (const check of checks) {
    try {
      check()
    } catch (error) {
      if (!(error instanceof AppError) || error.details === undefined) throw error
      failing.push(...error.details)
    }
  }
  if (failing.length > 0) throw refusal(failing)
}

/** Two names of one parameter. */
const SYNONYMS = [
  ['search', 'q'],
  ['limit', 'per_page'],
] as const

/**
 * Refuses unknown parameters: a misspelt filter must not select everything. Two names of one
 * parameter are refused as well.
 * @throws AppError VALIDATION_FAILED
 */
export function assertKnownParameters(
  query: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): void {
  const details: ErrorDetail[] = Object.keys(query)
    .filter((name) => !known.has(name))
    .map((field) => ({ field, code: 'UNKNOWN_PARAMETER' }))
  for (const [name, other] of SYNONYMS) {
    if (query[name] === undefined || query[other] === undefined || !known.has(other)) continue
    details.push({ field: other, code: 'CONFLICTING_PARAMETERS', params: { other: name } })
  }
  if (details.length > 0) throw new AppError('VALIDATION_FAILED', { details })
}

/**
 * The path of a request's URL, as it was sent, without trailing slashes. The URL is only a path if
 * the request has no valid host (HTTP/1.0, or a malformed `Host`).
 */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  if (start === -1) return '/'
  const query = url.indexOf('?', start)
  const hash = url.indexOf('#', start)
  let end = query === -1 ? url.length : query
  if (hash !== -1 && hash < end) end = hash
  while (end > start + 1 && url[end - 1] === '/') end--
  return url.slice(start, end)
}

/** The parameters of a query: strings, or lists for repeated ones. */
export function queryOf(url: string): Record<string, string | string[]> {
  // No prototype, because a parameter may be named `__proto__`.
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(searchOf(url))) {
    const before = query[name]
    if (Array.isArray(before)) before.push(value)
    else query[name] = before === undefined ? value : [before, value]
  }
  return query
}

/** The query string with its `?`, or empty. */
export function searchOf(url: string): string {
  return /\?[^#]*/.exec(url)?.[0] ?? ''
}

/** The value of `?lang=`, or null. */
export function langOf(url: string): string | null {
  return new URLSearchParams(searchOf(url)).get('lang')
}
