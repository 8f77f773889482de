import { z } from '@hono/zod-openapi'
import { repeatable } from '../../http/index.ts'
import { PAGE_LIMIT } from '../../http/page.ts'
import {
  boundedText,
  checked,
  checkWith,
  isObject,
  someText,
  whole,
} from '../../lib/validation/checked.ts'
import { parseQueryTime } from '../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { BOUNDS, checkDomainFilter, serializeDestination } from '../../model/links/values.ts'
import { checkCreator } from './creator.ts'
import type { LinkRules } from './fields.ts'
import { RELEVANCE, SORTS } from './page.ts'
import { STATUSES } from './row.ts'

const PAGE_MAX = 2 ** 31

function timestamp(description: string) {
  return parameter(checked(someText, parseQueryTime).optional(), description, {
    example: '2026-05-01T00:00:00Z',
  })
}

/** A documented query parameter. */
function parameter<S extends z.ZodType>(schema: S, description: string, metadata?: object | ''): S {
  return schema.openapi({ param: { description }, ...metadata })
}

/** The most names of one kind in a query. */
const NAMES_MAX = 100
const NAME_LENGTH_MAX = 1_024

/** Names of links, matched exactly. */
function names(description: string, example?: string) {
  const name = boundedText({ max: NAME_LENGTH_MAX, min: 1 })
  return parameter(repeatable(name, NAMES_MAX), description, example && { example: [example] })
}

/** In a body a JSON boolean. */
const flag = z
  .preprocess(
    (value) => (typeof value === 'boolean' ? String(value) : value),
    z.enum(['true', 'false']).optional(),
  )
  .transform((value) => (value === undefined ? undefined : value === 'true'))
  .openapi({ type: 'boolean' })

/** What links have or don't have. */
const HAD = {
  tagged: parameter(flag, '`false`: links without tags; `true`: with some.'),
  has_rules: parameter(flag, '`true`: links with rules or variants; `false`: without.'),
  has_password: parameter(flag, '`true`: links with a password; `false`: without.'),
  clicked: parameter(
    flag,
    '`false`: links that were never clicked; `true`: links that were, by people or bots, here or ' +
      'before their import. A click takes some seconds to count.',
  ),
}

const CREATED = {
  created_by: parameter(
    checked(someText, checkCreator).optional(),
    'Links created by the person or key with this id; for a rotated key, also those of its ' +
      'predecessors. `me`: the caller; with an API key, the key itself and not the person who ' +
      'created it. `command`: the command line of the server; `system`: Slugline itself.',
    { example: 'me' },
  ),
  created_after: timestamp(
    'Links created then or later: RFC 3339, or a date for its midnight in UTC.',
  ),
  created_before: timestamp(
    'Links created before then: RFC 3339, or a date for its midnight in UTC.',
  ),
}

const ORDER = {
  sort: parameter(
    z.enum([...SORTS, RELEVANCE]).default('created_at'),
    'What to sort by; `clicks` are those of people, `clicks.human`; ' +
      '`clicks_with_imported` adds `clicks.imported`, some seconds after an import. ' +
      '`relevance`, with `search`: first the links whose slug or alias it is, then those whose ' +
      'slug begins with it, then those whose title contains it, then the rest. ' +
      'If you read all pages by cursor, a link whose sort value doesn’t change is returned once. ' +
      '`clicks`, `clicks_with_imported`, `last_clicked_at` and `updated_at` grow: with `desc`, a link ' +
      'that moves past the cursor is skipped; with `asc` it may be repeated, but none is skipped. ' +
      '`created_at` never changes: sort by it to read all links.',
  ),
  order: parameter(
    z.enum(['asc', 'desc']).default('desc'),
    '`desc`: newest, most or last in the alphabet first; `asc`: the reverse.',
  ),
}

/** The schema of the query of a list. */
export function createListQuerySchema(rules: Pick<LinkRules, 'domains'>) {
  const term = boundedText({ max: BOUNDS.search }).optional()
  const limit = whole(PAGE_LIMIT.max).optional()
  const tag = boundedText({ max: BOUNDS.tag, min: 1 })
  const domain = checked(someText, (host, no) =>
    checkDomainFilter(host, rules.domains, no),
  ).optional()
  return z
    .object({
      id: names('Links with this id. Repeatable: any of them.', 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8'),
      external_id: names('Links with this external id. Repeatable: any of them.'),
      slug: names('Links with this slug or alias, any case. Repeatable: any of them.'),
      search: parameter(
        term,
        'A part of the slug, destination, title, a tag or the external id, any case.',
        { example: 'summer' },
      ),
      q: parameter(term, 'The same as `search`; only one of them may be given.'),
      tag: parameter(
        repeatable(tag, BOUNDS.tags),
        'Links with this tag, any case. Repeatable: all of them.',
        { example: ['newsletter'] },
      ),
      any_tag: parameter(
        repeatable(tag, BOUNDS.tags),
        'Links with this tag, any case. Repeatable: any of them.',
        { example: ['newsletter'] },
      ),
      ...HAD,
      folder_id: parameter(
        z.string().optional(),
        'Links in the folder with this id; `none`: in no folder.',
        { example: 'fld_01hzy3v9k2q4r6s8t0v2w4x6y8' },
      ),
      archived: parameter(
        z.enum(['false', 'true', 'any']).default('false'),
        '`false`: no archived links; `true`: only these; `any`: both.',
      ),
      domain: parameter(domain, 'Links whose own slug is on this domain; aliases do not count.', {
        example: 'go.example.com',
      }),
      destination_url: parameter(
        checked(someText, serializeDestination).optional(),
        'Links with this destination; the same as serialized by the URL standard, so that ' +
          '`https://EXAMPLE.com` finds `https://example.com/`.',
        { example: 'https://example.com/summer' },
      ),
      status: parameter(z.enum(STATUSES).optional(), 'Links that have this status now.'),
      ...CREATED,
      ...ORDER,
      limit: parameter(limit, 'How many links a page has at most.', {
        default: PAGE_LIMIT.default,
      }),
      per_page: parameter(limit, 'The same as `limit`; only one of them may be given.'),
      cursor: parameter(
        someText.optional(),
        'From `next_cursor` or `prev_cursor` of the same list.',
      ),
      page: parameter(
        whole(PAGE_MAX).optional(),
        'A page by its number, from 1; not together with `cursor`.',
      ),
      total: parameter(
        z.enum(['exact', 'quick']).default('exact'),
        '`quick`: a search that finds very many links counts only the first of them, which ' +
          'takes less time; `total_is_exact` says whether it counted all.',
      ),
    })
    .check(
      checkWith<Partial<Record<'cursor' | 'page' | 'sort' | 'search' | 'q', unknown>>>(
        ({ cursor, page, sort, search, q }) => [
          ...(cursor === undefined || page === undefined
            ? []
            : [new ValidationIssue('CONFLICTING_PARAMETERS', { other: 'cursor' }).at('page')]),
          ...(sort === RELEVANCE && !search && !q
            ? [new ValidationIssue('REQUIRED').at('search')]
            : []),
        ],
        isObject,
      ),
    )
}

/** The schema of a filter in a body: the list's parameters without pages and order. */
export function createFilterSchema(rules: Pick<LinkRules, 'domains'>) {
  const { limit, per_page, cursor, page, total, sort, order, ...filters } =
    createListQuerySchema(rules).shape
  return z.strictObject(filters).transform(
    ({ search, q, tag, ...rest }): FilterQuery => ({
      ...rest,
      search: search || q,
      tags: tag,
    }),
  )
}

/** The schema of an export's query: the list's parameters without pages. */
export function createExportQuerySchema(rules: Pick<LinkRules, 'domains'>, isCsv: boolean) {
  const { limit, per_page, cursor, page, total, ...filters } = createListQuerySchema(rules).shape
  const raw = z.enum(['true', 'false']).optional()
  return z.object({
    ...filters,
    // Each page of the other order needs all matches.
    sort: parameter(z.enum(SORTS).default('created_at'), 'What to sort by.'),
    ...(isCsv && {
      raw: parameter(raw, '`true`: no apostrophe before what a spreadsheet takes for a formula.'),
      bom: parameter(raw, '`true`: begins with a byte order mark, by which Excel knows UTF-8.'),
    }),
  })
}

/** The filter of a list. */
export type FilterQuery = Omit<Partial<Asked>, 'sort' | 'order' | 'limit' | 'cursor' | 'page'>

/** The parsed query of a list. Times in milliseconds, the domain as its number. */
export type ListQuery = Partial<Asked> & Pick<Asked, 'sort' | 'order' | 'limit'>

type Asked = ReturnType<typeof listQueryOf>

type Checked = z.output<ReturnType<typeof createListQuerySchema>>

/** Converts a validated query. */
export function listQueryOf(query: Partial<Checked> & Pick<Checked, 'sort' | 'order'>) {
  const { search, q, tag, limit, per_page, ...rest } = query
  return { ...rest, search: search || q, tags: tag, limit: limit ?? per_page ?? PAGE_LIMIT.default }
}
