/** What clicks are filtered by, in the order in which the chips stand. */
export const DIMENSIONS = [
  'country',
  'region',
  'city',
  'language',
  'referrer',
  'referrer_path',
  'device',
  'browser',
  'os',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'trigger',
  'hour',
  'weekday',
  'domain',
  'link',
] as const

/** One of {@link DIMENSIONS}. */
export type Dimension = (typeof DIMENSIONS)[number]

/** Clicks with a value are kept, or left out. */
export interface Filter {
  dimension: Dimension
  /** Empty: clicks that have no value. */
  value: string
  exclude: boolean
}

/**
 * Filters as they stand in the address: `country:DE`, `-browser:Firefox`. What isn't one is left
 * out, so that a mistyped address shows more, not nothing.
 */
export function parseFilters(texts: readonly string[]): Filter[] {
  const filters: Filter[] = []
  for (const text of texts) {
    const found = /^(-?)([a-z_]+):(.*)$/s.exec(text)
    const dimension = DIMENSIONS.find((known) => known === found?.[2])
    if (found === null || dimension === undefined) continue
    filters.push({ dimension, value: found[3] ?? '', exclude: found[1] === '-' })
  }
  return filters
}

/** A filter as it stands in the address. */
export function filterText({ dimension, value, exclude }: Filter): string {
  return `${exclude ? '-' : ''}${dimension}:${value}`
}

/** With a filter more; of two about the same value the newer one stands. */
export function withFilter(filters: readonly Filter[], added: Filter): Filter[] {
  return [...withoutFilter(filters, added), added]
}

/** Without what is said about a value. */
export function withoutFilter(filters: readonly Filter[], { dimension, value }: Filter): Filter[] {
  return filters.filter((kept) => kept.dimension !== dimension || kept.value !== value)
}

/** As the API takes them: `country=DE&-browser=Firefox`. */
export function filterQuery(filters: readonly Filter[]): [string, string][] {
  return filters.map(({ dimension, value, exclude }) => [
    `${exclude ? '-' : ''}${dimension}`,
    value,
  ])
}
