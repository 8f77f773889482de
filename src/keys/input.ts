import { AppError, type ErrorDetail } from '../errors/index.ts'
import type { Scope } from '../http/types.ts'

/** A key's name has at most so many characters. */
export const KEY_NAME_MAX = 100
/** The last moment that RFC 3339 can write. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const CONTROL_CHARACTERS = /\p{Cc}/u

/** Every scope there is, sorted. None implies another. */
export const SCOPES: readonly Scope[] = ['links:read', 'links:write']

/** Whether the text names a scope. */
export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text)
}

/** As a key's row holds them: sorted, each once, separated by a space. */
export function storedScopes(scopes: readonly Scope[]): string {
  return SCOPES.filter((scope) => scopes.includes(scope)).join(' ')
}

/** The scopes of a key's row. */
export function scopesOf(stored: string): Scope[] {
  return stored.split(' ').filter(isScope)
}

/** What a key is made of. */
export interface NewKey {
  /** 1–100 characters; blanks around it are dropped. */
  name: string
  /** At least one. */
  scopes: readonly string[]
  /** Milliseconds since the Unix epoch; null: never. */
  expiresAt?: number | null
}

/** @throws AppError VALIDATION_FAILED with all failing fields. */
export function checkNewKey(input: NewKey, now: number) {
  const name = input.name.normalize('NFC').trim()
  const scopes = input.scopes.filter(isScope)
  const expiresAt = input.expiresAt ?? null
  const details = [
    ...faultsOfName(name),
    ...faultsOfScopes(input.scopes),
    ...faultsOfExpiry(expiresAt, now),
  ]
  if (details.length > 0) throw new AppError('VALIDATION_FAILED', { details })
  return { name, scopes, expiresAt }
}

function faultsOfName(name: string): ErrorDetail[] {
  if (name === '') return [{ field: 'name', code: 'REQUIRED' }]
  if ([...name].length > KEY_NAME_MAX) {
    return [{ field: 'name', code: 'TOO_LONG', params: { max: KEY_NAME_MAX } }]
  }
  if (CONTROL_CHARACTERS.test(name)) return [{ field: 'name', code: 'INVALID_CHARACTERS' }]
  return []
}

function faultsOfScopes(scopes: readonly string[]): ErrorDetail[] {
  if (scopes.length === 0) return [{ field: 'scopes', code: 'REQUIRED' }]
  return scopes.flatMap((scope, i): ErrorDetail[] =>
    isScope(scope)
      ? []
      : [{ field: `scopes.${i}`, code: 'INVALID_VALUE', params: { allowed: SCOPES } }],
  )
}

function faultsOfExpiry(expiresAt: number | null, now: number): ErrorDetail[] {
  if (expiresAt === null) return []
  if (!Number.isSafeInteger(expiresAt) || expiresAt > LATEST_TIME) {
    return [{ field: 'expires_at', code: 'INVALID_TIMESTAMP' }]
  }
  if (expiresAt <= now) return [{ field: 'expires_at', code: 'ENDS_BEFORE_START' }]
  return []
}
