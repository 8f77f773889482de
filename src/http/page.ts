import { z } from '@hono/zod-openapi'

/** The body of a list that goes on by cursor. */
export function listOf<S extends z.ZodType>(item: S) {
  const pagination = z.object({
    limit: z.int(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  return z.object({ data: z.array(item), pagination })
}

/** One page of `rows`, of which one more than `limit` was asked for. */
export function pageOf<T>(rows: readonly T[], limit: number, cursorOf: (last: T) => string) {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const has_more = rows.length > limit
  const next_cursor = has_more && last !== undefined ? cursorOf(last) : null
  return { data, pagination: { limit, has_more, next_cursor } }
}
