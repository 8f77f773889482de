import { hstsOf } from '../base/hsts.ts'
import { PERMISSIONS_POLICY } from '../base/permissions-policy.ts'

/**
 * What the dashboard's pages may load and do: only what this server sends, no inline script or
 * style without the answer's nonce, no frame around them.
 */
export function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Headers of everything that the dashboard serves. */
export function dashboardHeaders(baseUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': PERMISSIONS_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...hstsOf(baseUrl),
  }
}
