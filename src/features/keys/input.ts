import { z } from '@hono/zod-openapi'
import { validate } from '../../http/index.ts'
import { boundedList, checked } from '../../lib/validation/checked.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { isScope, SCOPES } from '../../model/keys/scopes.ts'
import { trimmedText } from '../users/input.ts'
import { RestrictionsInput, type RestrictionsPatch } from './restrictions.ts'

/** A key's name has at most so many characters. */
export const KEY_NAME_MAX = 100
/** How long a rotated key may keep working at most: 90 days. */
export const OVERLAP_SECONDS_MAX = 90 * 86_400
/** The last time that RFC 3339 can represent. */
export const LATEST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The input of a new key. */
export interface NewKey {
  /** 1–100 characters, trimmed. */
  name: string
  /** At least one. */
  scopes: readonly string[]
  /** Milliseconds since the Unix epoch; null: never. */
  expiresAt?: number | null
  /** Null or absent: none. */
  restrictions?: RestrictionsPatch | null | undefined
}

const scopesField = checked(boundedList(z.string(), { max: SCOPES.length }), (scopes) => {
  if (scopes.length === 0) return new ValidationIssue('REQUIRED')
  const unknown = scopes.flatMap((scope, i) =>
    isScope(scope) ? [] : [new ValidationIssue('INVALID_VALUE', { allowed: SCOPES }, [i])],
  )
  return unknown.length > 0 ? unknown : scopes.filter(isScope)
})

const expiryField = (now: number) =>
  checked(z.number().nullable(), (at) => {
    if (at === null) return at
    if (!Number.isSafeInteger(at) || at > LATEST_TIME)
      return new ValidationIssue('INVALID_TIMESTAMP')
    return at <= now ? new ValidationIssue('ENDS_BEFORE_START') : at
  })

/** A key's new name. @throws AppError VALIDATION_FAILED */
export function checkKeyName(name: string): string {
  return validate(z.object({ name: trimmedText(KEY_NAME_MAX) }), { name }).name
}

/** @throws AppError VALIDATION_FAILED with all failing fields. */
export function checkNewKey(
  { name, scopes, expiresAt: expires_at = null, restrictions = null }: NewKey,
  now: number,
) {
  const fields = { name: trimmedText(KEY_NAME_MAX), scopes: scopesField }
  const restricted = { restrictions: RestrictionsInput.nullable() }
  const schema = z.object({ ...fields, ...restricted, expires_at: expiryField(now) })
  return validate(schema, { name, scopes, restrictions, expires_at })
}
