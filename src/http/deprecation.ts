/** When an endpoint was deprecated and when it ends, as dates: `2027-01-31`. */
export interface Deprecation {
  since: string
  until: string
}

/** What clients have at least to change, see docs/versioning.md. */
const MONTHS_MIN = 12

/**
 * The headers of a deprecated endpoint: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). @throws
 * Error if it would end less than 12 months after
 */
export function deprecationHeaders({ since, until }: Deprecation): Record<string, string> {
  const begin = new Date(since)
  const end = new Date(until)
  const earliest = new Date(begin)
  earliest.setUTCMonth(begin.getUTCMonth() + MONTHS_MIN)
  if (!(end >= earliest)) throw new Error(`${until} is less than 12 months after ${since}`)
  return { Deprecation: `@${begin.getTime() / 1000}`, Sunset: end.toUTCString() }
}
