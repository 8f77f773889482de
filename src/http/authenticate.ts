import type { Authenticate, Caller, Permission } from './types.ts'

/** What an `Authorization` header holds (RFC 9110 §11.6.2, RFC 6750 §2.1). */
export type Credential =
  /** Nothing, or another scheme's. */
  | { kind: 'none' }
  /** A Bearer credential that can't be a key. */
  | { kind: 'malformed' }
  | { kind: 'bearer'; credential: string }

const BEARER = /^bearer(?: +(.*))?$/i
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

/** Reads the header. The scheme's case doesn't matter. */
export function credentialOf(header: string | null): Credential {
  const match = header === null ? null : BEARER.exec(header.trim())
  const credential = match?.[1]
  if (credential === undefined || credential === '') return { kind: 'none' }
  if (!TOKEN68.test(credential)) return { kind: 'malformed' }
  return { kind: 'bearer', credential }
}

/** The caller, or which of the two reasons there is for having none. */
export async function callerOf(
  header: string | null,
  authenticate: Authenticate,
): Promise<Caller | 'UNAUTHORIZED' | 'INVALID_API_KEY'> {
  const given = credentialOf(header)
  if (given.kind === 'none') return 'UNAUTHORIZED'
  if (given.kind === 'malformed') return 'INVALID_API_KEY'
  return (await authenticate(given.credential)) ?? 'INVALID_API_KEY'
}

/** The value of `WWW-Authenticate` (RFC 6750 §3) for an error, where it has one. */
export function challengeOf(code: string, scope: Permission | null): string | undefined {
  switch (code) {
    case 'UNAUTHORIZED':
      return 'Bearer realm="slugline"'
    case 'INVALID_API_KEY':
      return 'Bearer realm="slugline", error="invalid_token"'
    case 'INSUFFICIENT_SCOPE':
      return `Bearer realm="slugline", error="insufficient_scope", scope="${scope}"`
    case 'SIGN_IN_REQUIRED':
    case 'SIGN_IN_FAILED':
    case 'INVALID_CODE':
    case 'PASSKEY_FAILED':
      return 'Session realm="slugline"'
    default:
      return undefined
  }
}
