import {
  DIMENSIONS,
  GROUPS,
  IN_PARTS,
  isGroup,
  MATCHES,
  type Match,
  PREFIXES,
} from '@src/statistics/columns.ts'

export { GROUPS, isGroup }

/** The dimensions of lists and filters. Kinds have their own control. */
export type Dimension = Exclude<(typeof DIMENSIONS)[number], 'kind'>

/** Dimensions picked from a list; hours and weekdays are picked in their charts. */
export const PICKED = DIMENSIONS.filter(
  (name): name is Exclude<Dimension, 'hour' | 'weekday'> =>
    name !== 'kind' && name !== 'hour' && name !== 'weekday',
)

/** Groups of links. A folder is identified by its id. */
export type Group = (typeof GROUPS)[number]
/** What lists are of. */
export type Listed = Dimension | Group

/** Whether there are lists of it. */
export function isListed(name: string): name is Listed {
  return name !== 'kind' && [...GROUPS, ...DIMENSIONS].some((known) => known === name)
}

/** Keeps the clicks with a value or a part of one, or excludes them. */
export interface Filter {
  dimension: Listed
  /** Empty: clicks without a value. */
  value: string
  match: Match
}

/** Whether a dimension's values have parts that can be searched for. */
export const isInParts = (dimension: Listed) => IN_PARTS.has(dimension)

/**
 * Parses the filters of a URL: `country:DE`, `not_browser:Firefox`, `contains_city:burg`. Invalid ones are ignored, so
 * that a mistyped URL shows more instead of nothing.
 */
export function parseFilters(texts: readonly string[]): Filter[] {
  const filters: Filter[] = []
  for (const text of texts) {
    const [, prefix = '', name, value = ''] = /^(not_|contains_)?([a-z_]+):(.*)$/s.exec(text) ?? []
    const dimension = [...GROUPS, ...DIMENSIONS].find((known) => known === name)
    const match = MATCHES.find((known) => PREFIXES[known] === prefix)
    if (dimension === undefined || dimension === 'kind' || match === undefined) continue
    const filter = { dimension, value, match }
    if (isGroup(dimension) && (match !== 'is' || value === '')) continue
    if (match === 'contains' && (!isInParts(dimension) || value === '')) continue
    filters.push(filter)
  }
  return filters
}

/** A filter in the form of a URL. */
export function filterText(filter: Filter): string {
  const { dimension, value, match } = filter
  return `${PREFIXES[match]}${dimension}:${value}`
}

/** The API's parameter of a filter. */
export function parameterOf({ dimension, match }: Pick<Filter, 'dimension' | 'match'>): string {
  const name = dimension === 'link' || dimension === 'folder' ? `${dimension}_id` : dimension
  return `${PREFIXES[match]}${name}`
}

/** Adds a filter, which replaces one with the same value, or the previous folder. */
export function withFilter(filters: readonly Filter[], added: Filter): Filter[] {
  const others = filters.filter(
    ({ dimension }) => dimension !== 'folder' || added.dimension !== 'folder',
  )
  return [...withoutFilter(others, added), added]
}

/** Keeps only the clicks with a value: it replaces other values of its dimension. A link has several tags. */
export function narrowedTo(filters: readonly Filter[], added: Filter): Filter[] {
  const others = filters.filter(
    ({ dimension, match }) =>
      isGroup(added.dimension) || dimension !== added.dimension || match !== added.match,
  )
  return withFilter(others, added)
}

/** Removes the filter with a value, or with a part of one. */
export function withoutFilter(filters: readonly Filter[], gone: Filter): Filter[] {
  const isPart = ({ match }: Filter) => match === 'contains'
  return filters.filter(
    (kept) =>
      kept.dimension !== gone.dimension ||
      kept.value !== gone.value ||
      isPart(kept) !== isPart(gone),
  )
}

/** The most values of a dimension that the API takes. */
export const VALUES_MAX = 100

/** The values chosen for a dimension, or those excluded, or parts of them. */
export function valuesOf(
  filters: readonly Filter[],
  { dimension, match }: Pick<Filter, 'dimension' | 'match'>,
): string[] {
  return filters
    .filter((one) => one.dimension === dimension && one.match === match)
    .map(({ value }) => value)
}

/** Adds a filter, or removes it if it is there. */
export function toggled(filters: readonly Filter[], filter: Filter): Filter[] {
  return valuesOf(filters, filter).includes(filter.value)
    ? withoutFilter(filters, filter)
    : withFilter(filters, filter)
}

/**
 * Filters that read as one: clicks have one of a dimension's values, or none of the excluded ones.
 * Tags stay on their own, because a link has all of them.
 */
export function joined(filters: readonly Filter[]): [Filter, ...Filter[]][] {
  const groups: [Filter, ...Filter[]][] = []
  for (const filter of filters) {
    const group = groups.find(
      ([{ dimension, match }]) =>
        !isGroup(dimension) && dimension === filter.dimension && match === filter.match,
    )
    if (group === undefined) groups.push([filter])
    else group.push(filter)
  }
  return groups
}

/** Filters in the form of a share, without the tag or folder that is its subject. */
export function sharedFilters(filters: readonly Filter[]): Record<string, string[]> {
  const shared: Record<string, string[]> = {}
  for (const filter of filters) {
    if (isGroup(filter.dimension)) continue
    const name = parameterOf(filter)
    shared[name] = [...(shared[name] ?? []), filter.value]
  }
  return shared
}
