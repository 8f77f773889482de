import { defined, isOn, listOf, oneOf, textOf } from '../../app/search-params.ts'
import { LINK_RANGES } from '../statistics/range.ts'

export const STATUSES = [
  'active',
  'scheduled',
  'expired',
  'exhausted',
  'disabled',
  'blocked',
] as const
export type Status = (typeof STATUSES)[number]

export const SORTS = [
  'created_at',
  'updated_at',
  'clicks',
  'clicks_with_imported',
  'last_clicked_at',
  'slug',
  'relevance',
] as const
export type Sort = (typeof SORTS)[number]

/** Filters by what links have or don't have. */
export const HAD = ['untagged', 'rules', 'password', 'unclicked'] as const

/** The search parameters of the list: everything that a colleague needs to see the same. */
export interface LinksSearch {
  q?: string
  tag?: string[]
  /** One of the tags is enough. */
  any?: boolean
  untagged?: boolean
  rules?: boolean
  password?: boolean
  unclicked?: boolean
  /** The id of a folder, or `none`. */
  folder?: string
  /** Only archived links, or these as well. */
  archived?: 'true' | 'any'
  domain?: string
  status?: Status
  /** The id of a person or key, or `me`. */
  creator?: string
  /** Days, in the person's time zone. */
  after?: string
  before?: string
  sort?: Sort
  order?: 'asc'
  cursor?: string
  /** How many links come before this page. */
  from?: number
  /** The panel of a new link is open. */
  create?: boolean
  /** The link whose panel is open. */
  edit?: string
  /** The link whose QR code is shown. */
  qr?: string
}

/** Changed parameters; undefined removes one. */
export type SearchChange = { [K in keyof LinksSearch]?: LinksSearch[K] | undefined }

const DAY = /^\d{4}-\d\d-\d\d$/

function day(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && DAY.test(text) ? text : undefined
}

/** The order of a list: of matches the best first, unless chosen otherwise. */
export function sortOf({ q, sort }: Pick<LinksSearch, 'q' | 'sort'>): Sort {
  if (q === undefined) return sort === undefined || sort === 'relevance' ? 'created_at' : sort
  return sort ?? 'relevance'
}

/** How a search says it; undefined: it is the standard order. */
export function sortParameter(sort: Sort, { q }: Pick<LinksSearch, 'q'>): Sort | undefined {
  return sort === sortOf({ ...(q !== undefined && { q }) }) ? undefined : sort
}

export function linksSearch(search: Record<string, unknown>): LinksSearch {
  const from = Number(search.from)
  return defined({
    q: textOf(search.q),
    tag: listOf(search.tag),
    any: isOn(search.any),
    untagged: isOn(search.untagged),
    rules: isOn(search.rules),
    password: isOn(search.password),
    unclicked: isOn(search.unclicked),
    folder: textOf(search.folder),
    archived: archivedOf(search.archived),
    domain: textOf(search.domain),
    status: oneOf(search.status, STATUSES),
    creator: textOf(search.creator),
    after: day(search.after),
    before: day(search.before),
    sort: oneOf(search.sort, SORTS),
    order: oneOf(search.order, ['asc']),
    cursor: textOf(search.cursor),
    from: Number.isSafeInteger(from) && from > 0 ? from : undefined,
    create: isOn(search.create),
    edit: textOf(search.edit),
    qr: textOf(search.qr),
  })
}

function archivedOf(value: unknown): LinksSearch['archived'] {
  return isOn(value) ? 'true' : oneOf(value, ['any'] as const)
}

/** The search parameters of a link's page. */
interface LinkSearch {
  edit?: boolean
  /** The dialog about a described visitor is open. */
  explain?: boolean
  /** Its QR code is shown. */
  qr?: boolean
  /** The period of its numbers. */
  range?: (typeof LINK_RANGES)[number]
}

export function linkSearch(search: Record<string, unknown>): LinkSearch {
  return defined({
    edit: isOn(search.edit),
    explain: isOn(search.explain),
    qr: isOn(search.qr),
    range: oneOf(search.range, LINK_RANGES),
  })
}

/** Changes the list's query. */
export type Ask = (change: SearchChange, replace?: boolean) => void
