/** What clicks can be told apart, listed and filtered by. */
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
  'kind',
  'hour',
  'weekday',
  'domain',
  'link',
] as const

/** One of {@link DIMENSIONS}. */
export type Dimension = (typeof DIMENSIONS)[number]

/** A person; a program that says so or acts like one; or a look ahead that nobody asked for. */
export type ClickKind = 'person' | 'bot' | 'preview'

/** Which clicks are meant; `exclude`: people alone. Bots and previews are apart from people. */
export type BotsMode = 'exclude' | 'include' | 'only'

/**
 * A click, with all that was found out about it. Absent values are null: no referrer, an unknown
 * country.
 */
export interface Click {
  /** Milliseconds since the Unix epoch. */
  time: number
  linkSeq: number
  domainNo: number
  /** 64 bits of the day's keyed hash; null: the visitor asked not to be told apart. */
  visitor: bigint | null
  kind: ClickKind
  /** Why it is no person's click: a stable word such as `crawler`, `unfurler`, `prefetch`. */
  reason: string | null
  /** `click`, or `qr` for a scan of one of our codes. */
  trigger: 'click' | 'qr'
  /** ISO 3166-1 alpha-2. */
  country: string | null
  /** ISO 3166-2, such as `DE-BE`; only from a database that has regions. */
  region: string | null
  city: string | null
  /** BCP 47, the primary subtag and a script where it matters: `de`, `zh-Hant`. */
  language: string | null
  /** Host in lower case without `www.`. */
  referrer: string | null
  /** Path of the referrer, without query. */
  referrer_path: string | null
  device: string | null
  browser: string | null
  os: string | null
  utm_source: string | null
  utm_medium: string | null
  utm_campaign: string | null
  utm_term: string | null
  utm_content: string | null
}

/** Keeps or leaves out the clicks with one of these values. */
export interface Filter {
  dimension: Dimension
  /** Null: clicks without a value. Links by their `seq`, hours 0–23, weekdays 1 (Monday)–7. */
  values: readonly (string | number | null)[]
  exclude: boolean
}

/** Which clicks a report is about. */
export interface Selection {
  workspaceNo: number
  /** One link alone; null: the whole workspace. */
  linkSeq: number | null
  /** Of these links alone; null: of all. */
  linkSeqs: readonly number[] | null
  /**
   * Of the links that have all these tags (their keys); absent: of all. Whoever answers looks up
   * which they are: they may be hundreds of thousands.
   */
  tags?: readonly string[]
  /** Milliseconds since the Unix epoch; from ≤ time < to. */
  from: number
  to: number
  filters: readonly Filter[]
  bots: BotsMode
  /** UTC offset changes of the report's time zone within the range, for `hour` and `weekday`. */
  offsets: readonly ZoneOffset[]
}

/** From `from` on (milliseconds since the Unix epoch) the zone is this far ahead of UTC. */
export interface ZoneOffset {
  from: number
  offsetMs: number
}

/**
 * Numbers of clicks. `clicks` are those that the selection means; `bots` the bots and previews
 * that fit it, whether it leaves them out or not. `unique`: different visitors among `clicks`, each
 * counted once per UTC day; a visitor who asked not to be told apart is in none.
 */
export interface Counts {
  clicks: number
  unique: number
  bots: number
}

/**
 * Counts over time, of the same clicks. `totals`: a visitor who came on one UTC day before a boundary
 * and behind it is one in them, and one in each of the two buckets.
 */
export interface Series {
  totals: Counts
  buckets: Counts[]
}

/** Where a list of single clicks goes on: the last one's time and its number within that time. */
export interface ClickPosition {
  time: number
  n: number
}

/** A stored click: `time` and `n` together are its own. */
export type StoredClick = Click & ClickPosition

/** Forms in which clicks leave. */
export type ExportFormat = 'csv' | 'ndjson' | 'parquet'

/**
 * Columns of an export in their order, members of its NDJSON and of the API's single clicks.
 *
 * - `id`: `time-n` in decimal, such as `1790000000000-0`. `clicked_at`: RFC 3339 in UTC with
 *   milliseconds; in Parquet a TIMESTAMP (UTC).
 * - `link`: the link's id (`lnk_…`, also of a deleted one that is still kept; else null). `domain`:
 *   the host. Both are looked up where the export is written, in `slugline.db`.
 * - `kind`, `reason`, `trigger`: the words of {@link Click}. No visitor.
 *
 * CSV: RFC 4180 (CRLF, quotes only where needed), a header row, null is empty. A value that begins
 * with `=`, `+`, `-`, `@`, tab, CR or an apostrophe gets an apostrophe before it, so that no
 * spreadsheet takes what a visitor wrote for a formula; taking off one leading apostrophe gives
 * the value back. NDJSON and Parquet hold values as they are.
 */
export const EXPORT_COLUMNS = [
  'id',
  'clicked_at',
  'link',
  'domain',
  'kind',
  'reason',
  'trigger',
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
] as const

/** The clicks as reports see them: DuckDB in a process of its own, ClickHouse, or PostgreSQL. */
export interface ClickReports {
  totals(selection: Selection): Promise<Counts>
  /**
   * Counts between neighbouring boundaries (milliseconds since the Unix epoch, ascending, multiples
   * of 15 minutes but for the first and the last), one bucket fewer than boundaries; and all together.
   */
  series(selection: Selection, boundaries: readonly number[]): Promise<Series>
  /** The values with the most clicks, and all the others together. Ties: by value. */
  top(
    selection: Selection,
    dimension: Dimension,
    limit: number,
  ): Promise<{ values: (Counts & { value: string | number | null })[]; other: Counts }>
  /** Newest first after `before`, or oldest first after `after`. */
  clicks(
    selection: Selection,
    options: { before?: ClickPosition | null; after?: ClickPosition | null; limit: number },
  ): Promise<StoredClick[]>
  /** Clicks per UTC day of the last days for some links, oldest day first. */
  daily(linkSeqs: readonly number[], firstDay: number, days: number): Promise<Map<number, number[]>>
  /**
   * All clicks of a selection, oldest first, with {@link EXPORT_COLUMNS}; constant memory. Ends
   * early when it is cancelled.
   */
  export(selection: Selection, format: ExportFormat): Promise<ReadableStream<Uint8Array>>
}

/** Reports for people who may go away. */
export interface AskableReports extends ClickReports {
  /** The same, broken off when the signal aborts: whoever asked has gone. */
  until(signal: AbortSignal): ClickReports
}

/** The clicks as they come. */
export interface LiveClicks {
  /**
   * A workspace's clicks behind a position, in the order in which they were stored, then each one
   * that is stored, without end; null: only those to come. Stops when the signal aborts.
   * @throws StatisticsUnavailable
   */
  live(
    workspaceNo: number,
    after: ClickPosition | null,
    signal: AbortSignal,
  ): AsyncIterable<StoredClick>
}

/** The clicks can't be asked now. Its cause stays inside; the caller answers 503. */
export class StatisticsUnavailable extends Error {
  override name = 'StatisticsUnavailable'
}
