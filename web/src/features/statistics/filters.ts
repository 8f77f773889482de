import { DIMENSIONS } from '@src/statistics/columns.ts'

/** The dimensions of lists and filters. Kinds have their own control. */
export type Dimension = Exclude<(typeof DIMENSIONS)[number], 'kind'>

/** Dimensions picked from a list; hours and weekdays are picked in their charts. */
export const PICKED = DIMENSIONS.filter(
  (name): name is Exclude<Dimension, 'hour' | 'weekday'> =>
    name !== 'kind' && name !== 'hour' && name !== 'weekday',
)

/** Groups of links: filters only. A folder is identified by its id. */
export const GROUPS = ['tag', 'folder'] as const
export type Group = (typeof GROUPS)[number]

export const isGroup = (name: string): name is Group => GROUPS.some((group) => group === name)

/** The prefix that excludes a value, in URLs and in parameters of the API. */
const NOT = 'not_'

/** Keeps the clicks with a value, or excludes them. */
export interface Filter {
  dimension: Dimension | Group
  /** Empty: clicks without a value. */
  value: string
  exclude: boolean
}

/**
 * Parses the filters of a URL: `country:DE`, `not_browser:Firefox`. Invalid ones are ignored, so
 * that a mistyped URL shows more instead of nothing.
 */
export function parseFilters(texts: readonly string[]): Filter[] {
  const filters: Filter[] = []
  for (const text of texts) {
    const found = /^(not_)?([a-z_]+):(.*)$/s.exec(text)
    const dimension = [...GROUPS, ...DIMENSIONS].find((known) => known === found?.[2])
    if (found === null || dimension === undefined || dimension === 'kind') continue
    const filter = { dimension, value: found[3] ?? '', exclude: found[1] === NOT }
    if (isGroup(dimension) && (filter.exclude || filter.value === '')) continue
    filters.push(filter)
  }
  return filters
}

/** A filter in the form of a URL. */
export function filterText(filter: Filter): string {
  const { dimension, value, exclude } = filter
  return `${exclude ? NOT : ''}${dimension}:${value}`
}

/** The API's parameter of a filter. */
export function parameterOf({ dimension, exclude }: Pick<Filter, 'dimension' | 'exclude'>): string {
  const name = dimension === 'link' || dimension === 'folder' ? `${dimension}_id` : dimension
  return `${exclude ? NOT : ''}${name}`
}

/** Adds a filter, which replaces one with the same value, or the previous folder. */
export function withFilter(filters: readonly Filter[], added: Filter): Filter[] {
  const others = filters.filter(
    ({ dimension }) => dimension !== 'folder' || added.dimension !== 'folder',
  )
  return [...withoutFilter(others, added), added]
}

/** Removes the filter with a value. */
export function withoutFilter(filters: readonly Filter[], { dimension, value }: Filter): Filter[] {
  return filters.filter((kept) => kept.dimension !== dimension || kept.value !== value)
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
