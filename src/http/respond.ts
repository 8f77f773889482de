import { brotliCompressSync, constants } from 'node:zlib'
import { acceptedEncoding } from '../base/accept.ts'
import type { Rendered } from '../errors/index.ts'
import type { Locale } from '../i18n/index.ts'
import type { Answer } from './endpoint.ts'
import { digestTag, encodedTag, etagOf, noneMatch } from './etag.ts'

/** Shorter texts gain nothing. */
const COMPRESSED_FROM = 1_024

/** The content codings, best first for a text that is compressed for one answer. */
const ENCODINGS = ['zstd', 'gzip', 'br'] as const
type Encoding = (typeof ENCODINGS)[number]

const QUICK: Readonly<Record<Encoding, (text: string) => Uint8Array>> = {
  zstd: (text) => Bun.zstdCompressSync(text, { level: 1 }),
  gzip: (text) => Bun.gzipSync(text, { level: 1 }),
  br: (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
}

const SMALL: typeof QUICK = {
  zstd: (text) => Bun.zstdCompressSync(text, { level: 19 }),
  gzip: (text) => Bun.gzipSync(text, { level: 9 }),
  br: (text) => brotliCompressSync(text),
}

/** What a rendered answer depends on besides the endpoint's answer. */
export interface RenderOptions {
  /** Undefined: nothing in the answer depends on the language. */
  locale: Locale | undefined
  /** Given: the answer is the same for every caller. */
  cacheControl: string | undefined
  /** Precedes paths of the API. */
  prefix: string
}

/** The bytes and headers of an endpoint's answer, so that it can be recorded and replayed. */
export function renderAnswer(
  { status, body, version, headers }: Answer,
  { locale, cacheControl, prefix }: RenderOptions,
): Rendered {
  const text = body === undefined ? null : JSON.stringify(body)
  const all: Record<string, string> = {}
  if (text !== null) {
    all['Content-Type'] = 'application/json'
    if (version !== undefined) all.ETag = etagOf(version, text)
    if (cacheControl !== undefined) {
      all['Cache-Control'] = cacheControl
      all.ETag = digestTag(text)
    }
  }
  if (locale !== undefined) {
    all['Content-Language'] = locale
    all.Vary = 'Accept-Language'
  }
  Object.assign(all, headers)
  if (all.Location?.startsWith('/api/')) all.Location = prefix + all.Location
  return { status, text, headers: all }
}

/** How an answer is sent. */
export interface SendOptions {
  /** Headers of every answer; `rendered` wins. */
  headers: Record<string, string>
  /** Compressed well and kept: for a text that is the same for all clients. */
  isShared?: boolean
  /** Holds a secret: its compressed length would tell of it (BREACH). */
  isSecret?: boolean
}

/** Sends a text: 304 where the client has it, without its body to HEAD, compressed if it is taken. */
export function send(request: Request, rendered: Rendered, options: SendOptions): Response {
  const { status, text } = rendered
  const headers = Object.assign(options.headers, rendered.headers)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const isKnown =
    isRead &&
    headers.ETag !== undefined &&
    noneMatch(request.headers.get('if-none-match'), headers.ETag)
  const body = text === null ? null : encode(request, text, headers, options)
  if (isKnown) {
    delete headers['Content-Type']
    delete headers['Content-Encoding']
    return new Response(null, { status: 304, headers })
  }
  if (request.method !== 'HEAD' || body === null) return new Response(body, { status, headers })
  // The length that the body of GET has (RFC 9110 §8.6).
  headers['Content-Length'] = String(Buffer.byteLength(body))
  return new Response(null, { status, headers })
}

/** Sends what comes as it comes; HEAD gets the headers of GET, which have no length. */
export function sendStream(
  request: Request,
  body: ReadableStream<Uint8Array> | null,
  status: number,
  headers: Record<string, string>,
): Response {
  return new Response(request.method === 'HEAD' ? emptyStream() : body, { status, headers })
}

/** A body of unknown length: without one, the server would say that it has 0 bytes. */
function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() })
}

/** The bytes that leave, with the headers that say what they are. */
function encode(
  request: Request,
  text: string,
  headers: Record<string, string>,
  { isShared = false, isSecret = false }: SendOptions,
): string | Uint8Array<ArrayBuffer> {
  if (isSecret || text.length < COMPRESSED_FROM) return text
  headers.Vary = headers.Vary === undefined ? 'Accept-Encoding' : `${headers.Vary}, Accept-Encoding`
  const preferred = isShared ? ENCODINGS.toReversed() : ENCODINGS
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'), preferred)
  if (encoding === undefined) return text
  headers['Content-Encoding'] = encoding
  if (headers.ETag !== undefined) headers.ETag = encodedTag(headers.ETag, encoding)
  const bytes = isShared ? sharedBytes(text, encoding) : QUICK[encoding](text)
  return bytes as Uint8Array<ArrayBuffer>
}

/** Few: the OpenAPI document, and a page of the reference for each language. */
const shared = new Map<string, Uint8Array>()
const SHARED_MAX = 100

function sharedBytes(text: string, encoding: Encoding): Uint8Array {
  const key = `${encoding} ${text.length} ${Bun.hash(text)}`
  let bytes = shared.get(key)
  if (bytes === undefined) {
    bytes = SMALL[encoding](text)
    if (shared.size >= SHARED_MAX) shared.clear()
    shared.set(key, bytes)
  }
  return bytes
}
