import { CORS_HEADERS } from './cors.ts'

/** What nobody but the client keeps, and asks about before each use. */
export const PRIVATE = 'private, no-cache'

const API_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  ...CORS_HEADERS,
} as const

/** Two years, subdomains left alone: they may be somebody else's (RFC 6797 §6.1). */
const HSTS = 'max-age=63072000'

/** Headers of every answer of the API; HSTS where the public address is https. */
export function apiHeaders(requestId: string, baseUrl: string): Record<string, string> {
  const headers: Record<string, string> = {
    'X-Request-Id': requestId,
    'Cache-Control': PRIVATE,
    ...API_HEADERS,
  }
  if (baseUrl.startsWith('https:')) headers['Strict-Transport-Security'] = HSTS
  return headers
}
