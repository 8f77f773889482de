import { isUtf8 } from 'node:buffer'
import type { z } from '@hono/zod-openapi'
import { AppError, type AppErrorOptions, type ErrorDetail } from '../errors/index.ts'
import { detailsOfZodError, fieldOf } from './details.ts'
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

/** The deepest nesting of objects and arrays. */
const DEPTH_MAX = 32

const WHITE_SPACE = /[ \t\n\r]*/y
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const PLAIN = /[ !#-[\]-\uffff]+/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/**
 * Parses a JSON object, strictly by RFC 8259 and I-JSON (RFC 7493): UTF-8 without a byte-order
 * mark, no duplicate members, no escaped unpaired surrogate, at most 32 levels deep.
 * @throws AppError INVALID_JSON with the reason and the position.
 */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  if (!isUtf8(bytes)) throw invalid({ field: '', code: 'INVALID_ENCODING' })
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  new Scanner(text).scan()
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw invalid({ field: '', code: 'INVALID_TYPE', params: { expected: 'object' } })
}

function invalid(detail: ErrorDetail): AppError {
  return new AppError('INVALID_JSON', { details: [detail] })
}

/** Finds what `JSON.parse` accepts silently or refuses without a position. */
class Scanner {
  #at = 0
  readonly #path: (string | number)[] = []

  constructor(readonly text: string) {}

  scan(): void {
    this.#value(0)
    if (this.#at < this.text.length) throw this.#syntax()
  }

  #value(depth: number): void {
    this.#skip(WHITE_SPACE)
    if (this.#take('{')) this.#object(depth + 1)
    else if (this.#take('[')) this.#parts(depth + 1, ']', (index) => index)
    else if (this.text[this.#at] === '"') this.#string()
    else if (!this.#skip(LITERAL)) throw this.#syntax()
    this.#skip(WHITE_SPACE)
  }

  #object(depth: number): void {
    const names = new Set<string>()
    this.#parts(depth, '}', () => {
      this.#skip(WHITE_SPACE)
      const start = this.#at
      const name = this.#string()
      if (names.has(name)) {
        const field = fieldOf([...this.#path, name])
        throw invalid({ field, code: 'DUPLICATE_KEY', params: positionOf(this.text, start) })
      }
      names.add(name)
      this.#skip(WHITE_SPACE)
      this.#expect(':')
      return name
    })
  }

  /** Members or items, up to the closing bracket; `begin` reads what precedes a value. */
  #parts(depth: number, end: string, begin: (index: number) => string | number): void {
    if (depth > DEPTH_MAX) {
      throw invalid({ field: '', code: 'TOO_DEEP', params: { max: DEPTH_MAX } })
    }
    this.#skip(WHITE_SPACE)
    if (this.#take(end)) return
    let index = 0
    do {
      this.#path.push(begin(index++))
      this.#value(depth)
      this.#path.pop()
    } while (this.#take(','))
    this.#expect(end)
  }

  #string(): string {
    const start = this.#at
    this.#expect('"')
    while (this.#skip(PLAIN) || this.#skip(ESCAPE));
    this.#expect('"')
    const value = JSON.parse(this.text.slice(start, this.#at)) as string
    if (value.isWellFormed()) return value
    throw invalid({ field: fieldOf(this.#path), code: 'INVALID_CHARACTERS' })
  }

  #take(character: string): boolean {
    if (this.text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw this.#syntax()
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const found = pattern.test(this.text)
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #syntax(): AppError {
    return invalid({ field: '', code: 'JSON_SYNTAX', params: positionOf(this.text, this.#at) })
  }
}

/** Both from 1; columns in Unicode code points. */
function positionOf(text: string, at: number) {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return { line, column: [...before.slice(before.lastIndexOf('\n') + 1)].length + 1 }
}

/**
 * Validates an input.
 * @param named renames the failing fields
 * @throws AppError VALIDATION_FAILED with every failing field
 */
export function validate<S extends z.ZodType>(
  schema: S,
  input: unknown,
  named: (details: ErrorDetail[]) => ErrorDetail[] = (details) => details,
): z.output<S> {
  const result = schema.safeParse(input)
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
