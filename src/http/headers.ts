import { hstsOf } from '../base/hsts.ts'
import { PERMISSIONS_POLICY } from '../base/permissions-policy.ts'
import { CORS_HEADERS } from './cors.ts'

/** What nobody but the client keeps, and asks about before each use. */
export const PRIVATE = 'private, no-cache'

const API_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': PERMISSIONS_POLICY,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  ...CORS_HEADERS,
} as const

/** The dashboard's API is for its own pages alone: no CORS, and nothing is kept anywhere. */
const DASHBOARD_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': PERMISSIONS_POLICY,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

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
