import { isUtf8 } from 'node:buffer'
import { AppError, type AppErrorOptions, type ErrorDetail } from '../errors/index.ts'

/** The most bytes that a body may have, unless the endpoint says otherwise. */
export const BODY_BYTES_MAX = 64 * 1024

const JSON_TYPES = ['application/json']
const PATCH_TYPES = ['application/merge-patch+json', 'application/json']

/** The media types that PATCH takes: the value of `Accept-Patch` (RFC 5789 §3.1). */
export const ACCEPT_PATCH = PATCH_TYPES.join(', ')

/**
 * The bytes of the body.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE; INVALID_JSON when it breaks off.
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
  if (length !== null && Number(length) > bytesMax) throw tooLarge(bytesMax)
  try {
    if (length !== null || request.body === null) return new Uint8Array(await request.arrayBuffer())
    return await readStream(request.body, bytesMax)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('INVALID_JSON')
  }
}

/**
 * Whether a `Content-Type` is one of these. Of its parameters only a charset matters, which may
 * be none but UTF-8: JSON has no other (RFC 8259 §8.1), though many clients state it.
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

function tooLarge(max: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', { params: { max } })
}

/** Reads a body of unknown length, and stops where it gets too long. */
async function readStream(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > bytesMax) throw tooLarge(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

/** Whether a request says that it brings none (RFC 9112, 6.3). */
export function hasNoBody({ headers }: Request): boolean {
  return (
    headers.get('content-type') === null &&
    headers.get('transfer-encoding') === null &&
    Number(headers.get('content-length') ?? 0) === 0
  )
}

/** How deep objects and arrays may be nested. */
const DEPTH_MAX = 32

const WHITE_SPACE = /[ \t\n\r]*/y
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/**
 * The JSON object that these bytes are, in the strict sense of RFC 8259 and I-JSON (RFC 7493):
 * UTF-8 without a byte-order mark, no member twice, no escaped half of a surrogate pair, at most 32
 * levels deep.
 * @throws AppError INVALID_JSON that says what is wrong and where.
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

/** Finds what `JSON.parse` accepts silently or refuses without saying where. */
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
    const next = this.text[this.#at]
    if (next === '{') this.#object(depth + 1)
    else if (next === '[') this.#array(depth + 1)
    else if (next === '"') this.#string()
    else if (!this.#skip(LITERAL)) throw this.#syntax()
    this.#skip(WHITE_SPACE)
  }

  #object(depth: number): void {
    this.#open(depth)
    const names = new Set<string>()
    if (this.#take('}')) return
    do {
      this.#skip(WHITE_SPACE)
      const start = this.#at
      const name = this.#string()
      this.#path.push(name)
      if (names.has(name)) throw this.#detail('DUPLICATE_KEY', positionOf(this.text, start))
      names.add(name)
      this.#skip(WHITE_SPACE)
      if (!this.#take(':')) throw this.#syntax()
      this.#value(depth)
      this.#path.pop()
    } while (this.#take(','))
    if (!this.#take('}')) throw this.#syntax()
  }

  #array(depth: number): void {
    this.#open(depth)
    if (this.#take(']')) return
    let index = 0
    do {
      this.#path.push(index++)
      this.#value(depth)
      this.#path.pop()
    } while (this.#take(','))
    if (!this.#take(']')) throw this.#syntax()
  }

  /** Past the bracket and the white space behind it. */
  #open(depth: number): void {
    if (depth > DEPTH_MAX) {
      throw invalid({ field: '', code: 'TOO_DEEP', params: { max: DEPTH_MAX } })
    }
    this.#at++
    this.#skip(WHITE_SPACE)
  }

  #string(): string {
    const { text } = this
    const start = this.#at
    if (!this.#take('"')) throw this.#syntax()
    for (;;) {
      const code = text.charCodeAt(this.#at)
      if (code === QUOTE) break
      if (code === BACKSLASH) {
        if (!this.#skip(ESCAPE)) throw this.#syntax()
      } else if (code >= SPACE) this.#at++
      else throw this.#syntax()
    }
    this.#at++
    const source = text.slice(start + 1, this.#at - 1)
    if (!source.includes('\\')) return source
    const value = JSON.parse(`"${source}"`) as string
    if (!value.isWellFormed()) {
      throw this.#detail('INVALID_CHARACTERS')
    }
    return value
  }

  #take(character: string): boolean {
    if (this.text[this.#at] !== character) return false
    this.#at++
    return true
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

  #detail(code: 'DUPLICATE_KEY' | 'INVALID_CHARACTERS', params?: Position): AppError {
    const field = this.#path.join('.')
    return invalid({ field, code, params } as ErrorDetail)
  }
}

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c

interface Position {
  line: number
  column: number
}

/** Both from 1; columns in Unicode code points. */
function positionOf(text: string, at: number): Position {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return { line, column: [...before.slice(before.lastIndexOf('\n') + 1)].length + 1 }
}
