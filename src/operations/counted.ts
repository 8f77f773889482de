/** What is asked for at a scrape: a number that only grows, or one that goes up and down. */
export interface WatchedValue {
  /** Without the prefix `slugline_`; counters end in `_total`, units come last. */
  name: string
  help: string
  type: 'counter' | 'gauge'
  read: () => number
}

/** Upper bounds of the buckets of request durations, in seconds. */
export const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** One series of requests: those of one method, route and status class. */
export interface RequestSeries {
  method: string
  route: string
  statusClass: string
  count: number
  seconds: number
  /** Requests at most as long as each bound of {@link DURATION_BUCKETS}, not cumulated. */
  buckets: number[]
}

/** All the numbers, as the exposition reads them. */
export interface Counted {
  requests: Map<string, RequestSeries>
  redirects: Readonly<Record<string, number>>
  rateLimited: number
  unhandledErrors: number
  watched: WatchedValue[]
}
