import { CLICK_DETAILS, TEXT_COLUMNS } from '../lib/base/click-columns.ts'

// The names of stored clicks: columns, kinds and dimensions, defined once for all engines.

export { TEXT_COLUMNS }
export type TextColumn = (typeof TEXT_COLUMNS)[number]

/**
 * Columns of `clicks` in the table's order, the same in every engine. `link` is the whole
 * `links.seq`; `time` is in milliseconds since the Unix epoch; `visitor` is null where the visitor
 * asked not to be tracked; `kind` is an index of {@link KIND_NAMES}; `qr` is true for a scan.
 */
export const CLICK_COLUMNS = [
  'workspace',
  'link',
  'time',
  'n',
  'visitor',
  'kind',
  'qr',
  'domain',
  ...TEXT_COLUMNS,
] as const

/** Columns of `daily`: the totals of a purged UTC day. `day` counts from the Unix epoch. */
export const DAILY_COLUMNS = [
  'workspace',
  'link',
  'day',
  'kind',
  'clicks',
  'uniques',
  'workspace_uniques',
] as const

/** The names of kinds by their numbers in `clicks.kind` and `daily.kind`. */
export const KIND_NAMES = ['human', 'bot', 'preview'] as const

/** A person, a program, or a preview that no person requested. */
export type ClickKind = (typeof KIND_NAMES)[number]

/** What clicks can be listed and filtered by. */
export const DIMENSIONS = [
  ...CLICK_DETAILS,
  'trigger',
  'kind',
  'hour',
  'weekday',
  'domain',
  'link',
] as const

/** What links are grouped by, and so their clicks. A link has several tags; they are as they are now. */
export const GROUPS = ['tag', 'folder'] as const

/** Whether it is a group of links. */
export const isGroup = (name: string): name is (typeof GROUPS)[number] =>
  GROUPS.some((group) => group === name)

/** What clicks can be listed by. */
export const LISTED = [...DIMENSIONS, ...GROUPS] as const

/** Which clicks a filter keeps: with one of its values, with none of them, or with a part of one. */
export type Match = 'is' | 'not' | 'contains'

/** The names of filters by how they match: a prefix and the dimension. */
export const PREFIXES = { is: '', not: 'not_', contains: 'contains_' } as const satisfies Record<
  Match,
  string
>
export const MATCHES = Object.keys(PREFIXES) as readonly Match[]

/** Dimensions whose values are texts with parts. */
export const IN_PARTS: ReadonlySet<string> = new Set([
  ...['referrer', 'referrer_path', 'city', 'browser', 'os'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
])

/** Which clicks are counted. `exclude`: humans only; `only`: bots and previews. */
export const BOTS_MODES = ['exclude', 'include', 'only'] as const
