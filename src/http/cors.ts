/** Headers that a script of another origin may read. */
const EXPOSED = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'Link',
  'Location',
  'Idempotent-Replayed',
  'Content-Language',
  'Content-Disposition',
  'WWW-Authenticate',
  'Allow',
  'Accept-Patch',
  'Accept-Post',
].join(', ')

const ACCEPTED = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-Request-Id',
].join(', ')

/** For every answer of the API: any site may call it, with a key and never with cookies. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
} as const

/** For the answer to OPTIONS, a browser's preflight among them. */
export function preflightHeaders(allow: string): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ACCEPTED,
    'Access-Control-Max-Age': '86400',
  }
}
