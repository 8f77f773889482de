import { hstsOf } from '../base/hsts.ts'
import { PERMISSIONS_POLICY } from '../base/permissions-policy.ts'

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

/** Only the client may keep the answer, and asks whether it is current before each use. */
export const PRIVATE = 'private, no-cache'

const COMMON = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': PERMISSIONS_POLICY,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** Any site may call the API, with a key and never with cookies. */
const API_HEADERS = {
  ...COMMON,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
} as const

/** Only the dashboard's own pages may call its API: no CORS, and no caching. */
const DASHBOARD_HEADERS = { ...COMMON, 'Cross-Origin-Resource-Policy': 'same-origin' } as const

/** Headers of every answer of the dashboard's API; HSTS where the public address is https. */
export function dashboardHeaders(requestId: string, baseUrl: string): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    ...DASHBOARD_HEADERS,
    ...hstsOf(baseUrl),
  }
}

/** Headers of every answer of the API; HSTS where the public address is https. */
export function apiHeaders(requestId: string, baseUrl: string): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'Cache-Control': PRIVATE,
    ...API_HEADERS,
    ...hstsOf(baseUrl),
  }
}

/** For the answer to OPTIONS, a browser's preflight among them. */
export function preflightHeaders(allow: string): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ACCEPTED,
    'Access-Control-Max-Age': '86400',
  }
}
