import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip } from 'node:zlib'
import { z } from '@hono/zod-openapi'
import { acceptedEncoding } from '../lib/base/accept.ts'
import { hstsOf, PERMISSIONS_POLICY } from '../lib/base/headers.ts'
import { createMemo } from '../lib/base/memo.ts'
import type { Rendered } from '../lib/errors/index.ts'
import { formatTimestamp } from '../lib/validation/timestamp.ts'

/** Compressing shorter texts gains nothing. */
const COMPRESSED_FROM = 1_024

/** The content codings, best first for a text that is compressed once. */
const CODINGS = ['zstd', 'gzip', 'br'] as const

type Compress<T> = Readonly<Record<(typeof CODINGS)[number], (text: string) => T>>

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const COMPRESS: Compress<Uint8Array> = {
  zstd: (text) => Bun.zstdCompressSync(text, { level: 1 }),
  gzip: (text) => Bun.gzipSync(text, { level: 4 }),
  br: (text) => brotliCompressSync(text, BROTLI),
}

/** Longer texts are compressed in another thread: 8 MB of links take a quarter of a second. */
const ASIDE_FROM = 256 * 1_024
const COMPRESS_ASIDE: Compress<Promise<Uint8Array>> = {
  zstd: (text) => Bun.zstdCompress(text, { level: 1 }),
  gzip: (text) => promisify(gzip)(text, { level: 4 }),
  br: (text) => promisify(brotliCompress)(text, BROTLI),
}

/** Options of sending a response. */
interface SendOptions {
  /** Headers of every response; those of `rendered` take precedence. */
  headers: Record<string, string>
  /** Never compressed: the length would leak hints about the secret (BREACH). */
  isSecret?: boolean
  /** The text in Brotli, for clients that accept it. */
  brotli?: Uint8Array<ArrayBuffer>
}

/** Sends a text: 304 if the client has it, without a body for HEAD, compressed if accepted. */
export async function send(
  request: Request,
  rendered: Rendered,
  options: SendOptions,
): Promise<Response> {
  const { status, text } = rendered
  const headers = Object.assign(options.headers, rendered.headers)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const isKnown =
    isRead &&
    headers.ETag !== undefined &&
    noneMatch(request.headers.get('if-none-match'), headers.ETag)
  const body = text === null ? null : await encode(request, text, headers, options)
  if (isKnown) {
    delete headers['Content-Type']
    delete headers['Content-Encoding']
    return new Response(null, { status: 304, headers })
  }
  if (request.method !== 'HEAD' || body === null) return new Response(body, { status, headers })
  // The length of GET's body (RFC 9110 §8.6).
  headers['Content-Length'] = String(Buffer.byteLength(body))
  return new Response(null, { status, headers })
}

/** The most pages, some of them in each language. */
const PAGES = 64

/** Brotli's best compression takes a second, in another thread, so the result is cached. */
const compressedPage = createMemo(PAGES, async (text: string) => {
  const size = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
  return new Uint8Array(await promisify(brotliCompress)(text, { params: size }))
})

/** Sends a text that is the same for many clients. */
export async function sendPage(
  request: Request,
  rendered: Rendered,
  headers: Record<string, string>,
): Promise<Response> {
  const takesBrotli = acceptedEncoding(request.headers.get('accept-encoding'), ['br']) === 'br'
  if (!takesBrotli || rendered.text === null) return send(request, rendered, { headers })
  const brotli = await compressedPage(rendered.text)
  return send(request, rendered, { headers, brotli })
}

/** Sends a stream; HEAD gets the headers of GET, which have no length. */
export async function sendStream(
  request: Request,
  begin: () => Promise<ReadableStream<Uint8Array>>,
  status: number,
  headers: Record<string, string>,
): Promise<Response> {
  if (request.method !== 'HEAD') return new Response(await begin(), { status, headers })
  // As for GET; without it the server would send a length of 0.
  headers['Transfer-Encoding'] = 'chunked'
  return new Response(null, { status, headers })
}

/** Compresses a text if the client accepts it, and adds the headers for that. */
function encode(
  request: Request,
  text: string,
  headers: Record<string, string>,
  { isSecret = false, brotli }: SendOptions,
): string | Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
  if (isSecret || text.length < COMPRESSED_FROM) return text
  headers.Vary = headers.Vary === undefined ? 'Accept-Encoding' : `${headers.Vary}, Accept-Encoding`
  const accepted = request.headers.get('accept-encoding')
  const coding = brotli === undefined ? acceptedEncoding(accepted, CODINGS) : 'br'
  if (coding === undefined) return text
  headers['Content-Encoding'] = coding
  // Compressed content is a different representation, which needs another strong tag.
  if (headers.ETag !== undefined) headers.ETag = `${headers.ETag.slice(0, -1)}-${coding}"`
  if (brotli !== undefined) return brotli
  const compress = text.length < ASIDE_FROM ? COMPRESS : COMPRESS_ASIDE
  return compress[coding](text) as Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>
}

/** An entity tag of a list: whether it is weak, its version if any, and the whole. */
const TAGS = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g
const VERSION = /^"(\d+)(?:\.[^"]*)?"$/
/** What {@link encode} adds to a tag. */
const CODING = /-(?:zstd|gzip|br)"$/

/**
 * The strong entity tag of a body (RFC 9110 §8.8.3): its version, if any, and a digest, because
 * clicks and status change without a new version.
 */
export function digestTag(text: string, version?: number): string {
  const digest = Bun.hash(text).toString(36)
  return version === undefined ? `"${digest}"` : `"${version}.${digest}"`
}

/** Whether `If-None-Match` names this tag, in any content coding (RFC 9110 §13.1.2). */
export function noneMatch(header: string | null, etag: string): boolean {
  if (header === null) return false
  if (header.trim() === '*') return true
  return tagsOf(header).some(({ tag }) => tag.replace(CODING, '"') === etag)
}

/** Whether `If-Match` permits a change of this version, by strong comparison (RFC 9110 §13.1.1). */
export function versionMatches(header: string | null, version: number): boolean {
  if (header === null || header.trim() === '*') return true
  return tagsOf(header).some(({ weak, tag }) => !weak && versionOf(tag) === version)
}

/** Whether `If-None-Match` forbids a change of this version. */
export function namesVersion(header: string | null, version: number): boolean {
  if (header === null) return false
  return header.trim() === '*' || tagsOf(header).some(({ tag }) => versionOf(tag) === version)
}

function versionOf(tag: string): number | undefined {
  const version = VERSION.exec(tag)?.[1]
  return version === undefined ? undefined : Number(version)
}

function tagsOf(header: string): { weak: boolean; tag: string }[] {
  return [...header.matchAll(TAGS)].map(([, weak, tag]) => ({
    weak: weak !== undefined,
    tag: tag as string,
  }))
}

/** Headers that scripts of other origins may read. */
const EXPOSED =
  'X-Request-Id, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, ' +
  'X-RateLimit-Reset, Retry-After, ETag, Link, Location, Idempotent-Replayed, Dry-Run, ' +
  'Content-Language, Content-Disposition, WWW-Authenticate, Allow, Accept-Patch, Accept-Post, ' +
  'Deprecation, Sunset'

const ACCEPTED =
  'Authorization, Content-Type, Accept, Accept-Language, If-Match, If-None-Match, ' +
  'Idempotency-Key, Last-Event-ID, X-Request-Id'

/**
 * Headers of every response of an API; HSTS if the public URL is https. Any site may call the
 * public API, with keys but never with cookies; the dashboard's is only for its own pages.
 */
export function apiHeaders(
  requestId: string,
  baseUrl: string,
  forDashboard = false,
): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'Cache-Control': forDashboard ? 'no-store' : 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': PERMISSIONS_POLICY,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    ...(forDashboard
      ? { 'Cross-Origin-Resource-Policy': 'same-origin' }
      : { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED }),
    ...hstsOf(baseUrl),
  }
}

/** Headers for OPTIONS, including browsers' preflights. */
export function preflightHeaders(allow: string): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ACCEPTED,
    'Access-Control-Max-Age': '86400',
  }
}

/**
 * The rate limit headers (draft-ietf-httpapi-ratelimit-headers-10), and the older ones that many
 * clients read. Both say when the full burst is available again.
 */
export function addRateLimitHeaders(
  headers: Record<string, string>,
  ratePerMinute: number,
  { remaining, fullAfterMs }: { remaining: number; fullAfterMs: number },
  now: number,
): void {
  headers['RateLimit-Policy'] = `"api";q=${ratePerMinute};w=60`
  headers.RateLimit = `"api";r=${remaining};t=${Math.ceil(fullAfterMs / 1000)}`
  headers['X-RateLimit-Limit'] = String(ratePerMinute)
  headers['X-RateLimit-Remaining'] = String(remaining)
  headers['X-RateLimit-Reset'] = String(Math.ceil((now + fullAfterMs) / 1000))
}

/** Describes responses with one object: its version is the ETag, and a new one has a path. */
export function describeOne<S extends z.ZodType>(what: string, schema: S, example: unknown) {
  const ETag = `The version of the ${what}, for \`If-Match\` and \`If-None-Match\`.`
  const Location = `The path of the ${what} in the API.`
  return (status: 200 | 201, description: string) => ({
    status,
    description,
    schema,
    headers: { ETag, ...(status === 201 && { Location }) },
    example,
  })
}

const time = (description: string) => z.string().openapi({ format: 'date-time', description })

/** The times and the version of an object in responses. */
export const VERSIONED = {
  created_at: time('When it was created, in UTC.'),
  updated_at: time('When it was last changed, in UTC.'),
  version: z.int().min(1).openapi({ description: 'Grows with each change; also in the ETag.' }),
}

/** The values of {@link VERSIONED}, from a row. */
export function versionedOf(row: { created_at: number; updated_at: number; version: number }) {
  const { created_at, updated_at, version } = row
  return {
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
    version,
  }
}

/** A response with one object. */
export function answerOk<T extends { version: number }>(body: T) {
  return { status: 200 as const, body, version: body.version }
}

/** The response with a created object, below the path of its collection. */
export function answerCreated<T extends { id: string; version: number }>(path: string, body: T) {
  return { ...answerOk(body), status: 201 as const, headers: { Location: `${path}/${body.id}` } }
}
