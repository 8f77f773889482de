import { z } from '@hono/zod-openapi'
import { boundedList, someText, whole } from '../lib/validation/checked.ts'
import type { Cursors, CursorValue } from './cursor.ts'
import { pathOf, searchOf } from './request.ts'

const PaginationSchema = z
  .object({
    limit: z.int().openapi({ description: 'The most items that this page could have.' }),
    has_more: z.boolean().openapi({ description: 'Whether a page follows this one.' }),
    next_cursor: z.string().nullable().openapi({
      description: 'The `cursor` of the next page. Null: this is the last.',
    }),
    total: z.int().optional().openapi({
      description: 'How many items all pages have together. Absent: this list isn’t counted.',
    }),
  })
  .openapi('Pagination')

/** The body of a list with cursors. */
export function listOf<S extends z.ZodType>(item: S) {
  return z.object({ data: z.array(item), pagination: PaginationSchema })
}

/** The default and maximum number of items per page. */
export const PAGE_LIMIT = { default: 25, max: 100 }

const limitOr = (standard: number) =>
  whole(PAGE_LIMIT.max)
    .default(standard)
    .openapi({ param: { description: 'How many items a page has at most.' }, default: standard })

/** The parameters of a list with cursors. */
export const pageParameters = {
  limit: limitOr(PAGE_LIMIT.default),
  cursor: someText.optional().openapi({
    param: { description: '`next_cursor` of the page before. Absent: the first page.' },
  }),
}

/** The same for a list that has all of its items on its first page, unless less is asked for. */
export const wholeListParameters = { ...pageParameters, limit: limitOr(PAGE_LIMIT.max) }

/** The description of a page with items like `item`. */
export function pageSuccess<S extends z.ZodType>(description: string, schema: S, item: unknown) {
  return {
    status: 200 as const,
    description,
    schema,
    headers: { Link: 'The next and the first page (RFC 8288).' },
    example: {
      data: [item],
      pagination: { limit: PAGE_LIMIT.default, has_more: false, next_cursor: null },
    },
  }
}

/** A page with its `Link` header. */
export function pageAnswer<
  B extends { pagination: { has_more: boolean; next_cursor: string | null } },
>({ baseUrl, request }: { baseUrl: string; request: Request }, body: B) {
  const position = { ...body.pagination, prev_cursor: null }
  return {
    status: 200 as const,
    body,
    headers: { Link: pageLinks(baseUrl, request.url, position) },
  }
}

/** A page of `rows`, which were queried with a limit of one more than `limit`. */
export function pageOf<T>(rows: readonly T[], limit: number, cursorOf: (last: T) => string) {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const has_more = rows.length > limit
  const next_cursor = has_more && last !== undefined ? cursorOf(last) : null
  return { data, pagination: { limit, has_more, next_cursor } }
}

/** What a client asks for of a list with cursors. */
export interface PageQuery {
  limit: number
  cursor?: string | undefined
}

/**
 * A page of a list that is short enough to be read as a whole. `rows` are in ascending order of
 * their keys, or descending with `isDescending`; keys are unique. `binding`: see {@link Cursors}.
 * @throws AppError BAD_REQUEST (INVALID_CURSOR)
 */
export function pageOfAll<T>(
  cursors: Cursors,
  binding: readonly unknown[],
  rows: readonly T[],
  { limit, cursor }: PageQuery,
  keyOf: (row: T) => readonly CursorValue[],
  isDescending = false,
) {
  const list = JSON.stringify(binding)
  const after = cursor === undefined ? null : cursors.decode(cursor, list)
  const sign = isDescending ? -1 : 1
  const order = (a: readonly CursorValue[], b: readonly CursorValue[]) => sign * compareKeys(a, b)
  const rest = rows
    .filter((row) => after === null || order(keyOf(row), after) > 0)
    .sort((a, b) => order(keyOf(a), keyOf(b)))
  const page = pageOf(rest, limit, (last) => cursors.encode(keyOf(last), list))
  return { ...page, pagination: { ...page.pagination, total: rows.length } }
}

function compareKeys(a: readonly CursorValue[], b: readonly CursorValue[]): number {
  const i = a.findIndex((value, k) => value !== b[k])
  return i === -1 ? 0 : (a[i] as string) < (b[i] as string) ? -1 : 1
}

/** A page's position; `page` counts from 1, and is absent if there is a cursor. */
interface PagePosition {
  page?: number | undefined
  has_more: boolean
  next_cursor: string | null
  prev_cursor: string | null
}

/**
 * The `Link` header of a page (RFC 8288): next, previous and first page, with the request's
 * filters. Numbered pages link to numbered ones. The host of the request isn't used, because
 * clients control it.
 */
export function pageLinks(
  baseUrl: string,
  requestUrl: string,
  { page, has_more, next_cursor, prev_cursor }: PagePosition,
): string {
  const parameters = new URLSearchParams(searchOf(requestUrl))
  parameters.delete('cursor')
  parameters.delete('page')
  const name = page === undefined ? 'cursor' : 'page'
  const values =
    page === undefined
      ? { next: next_cursor, prev: prev_cursor, first: '' }
      : { next: has_more ? page + 1 : null, prev: page > 1 ? page - 1 : null, first: 1 }
  return Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([rel, value]) => {
      if (value === '') parameters.delete(name)
      else parameters.set(name, String(value))
      const query = parameters.size === 0 ? '' : `?${parameters}`
      return `<${baseUrl}${pathOf(requestUrl)}${query}>; rel="${rel}"`
    })
    .join(', ')
}

/** A repeatable query parameter; always an array in the handler. */
export function repeatable<T extends z.ZodType>(item: T, max: number) {
  return z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    boundedList(item, { max }).optional(),
  )
}
