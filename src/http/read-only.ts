import type { z } from '@hono/zod-openapi'
import type { ErrorDetail } from '../lib/errors/index.ts'
import { parametersOf } from './details.ts'

/** Members of an object that clients receive but can't set. */
export type ReadOnly = ReadonlySet<string>

/** The members that the answer has and the request hasn't. */
export function readOnlyOf(request: z.ZodType, answer: z.ZodType | undefined): ReadOnly {
  const writable = new Set(parametersOf(request))
  return new Set(parametersOf(answer).filter((name) => !writable.has(name)))
}

/** Makes UNKNOWN_FIELD of such members READ_ONLY. `at`: the path of the object, like `link.`. */
export function asReadOnly(names: ReadOnly, at = '') {
  return (details: readonly ErrorDetail[]): ErrorDetail[] =>
    details.map((detail) => {
      const { field, code } = detail
      const isReadOnly = field.startsWith(at) && names.has(field.slice(at.length))
      return code === 'UNKNOWN_FIELD' && isReadOnly ? { field, code: 'READ_ONLY' } : detail
    })
}

/**
 * The object without read-only members that are as they are now, so that what was read can be
 * edited and sent back. `current` reads the object; undefined: there is none.
 */
export async function withoutUnchanged(
  value: Readonly<Record<string, unknown>>,
  names: ReadOnly,
  current: () => Promise<object | undefined>,
): Promise<Record<string, unknown>> {
  const entries = Object.entries(value)
  if (!entries.some(([name]) => names.has(name))) return value
  const now = (await current()) as Record<string, unknown> | undefined
  return Object.fromEntries(
    entries.filter(([name, given]) => {
      if (now === undefined || !names.has(name)) return true
      // Only some answers have it, such as warnings.
      if (!(name in now)) return false
      return !isUnchanged(given, now[name], MOVING.has(name))
    }),
  )
}

/** Members that change without a write to the object: an earlier value isn't a change either. */
const MOVING: ReadOnly = new Set([
  ...['clicks', 'last_clicked_at', 'last_used_at', 'links', 'verification', 'views'],
])

const TIME = /^\d{4}-\d\d-\d\dT/

function isUnchanged(given: unknown, now: unknown, mayBeEarlier: boolean): boolean {
  if (given === now) return true
  if (typeof given === 'number' && typeof now === 'number') {
    return mayBeEarlier && given >= 0 && given < now
  }
  if (typeof now === 'string' && TIME.test(now)) {
    if (given === null) return mayBeEarlier
    const [at, of] = [Date.parse(String(given)), Date.parse(now)]
    return mayBeEarlier ? at <= of : at === of
  }
  if (typeof given !== 'object' || typeof now !== 'object') return false
  if (given === null || now === null) return false
  if (Array.isArray(now) || Array.isArray(given)) return Bun.deepEquals(given, now)
  return Object.entries(given).every(
    ([name, member]) =>
      Object.hasOwn(now, name) &&
      isUnchanged(member, (now as Record<string, unknown>)[name], mayBeEarlier),
  )
}
