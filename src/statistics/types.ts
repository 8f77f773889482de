import type { Click } from '../clicks/enrich/click.ts'
import { CLICK_DETAILS } from '../lib/base/click-columns.ts'
import type { View } from '../lib/base/view.ts'
import { AppError } from '../lib/errors/index.ts'
import type { BOTS_MODES, ClickKind, DIMENSIONS, GROUPS, LISTED, Match } from './columns.ts'

export { DIMENSIONS } from './columns.ts'
export type { ClickKind }
export type Dimension = (typeof DIMENSIONS)[number]
export type Group = (typeof GROUPS)[number]
/** A dimension, or a group of links. */
export type Listed = (typeof LISTED)[number]
export type BotsMode = (typeof BOTS_MODES)[number]

/** Keeps the clicks whose value matches. */
export interface Filter {
  dimension: Dimension
  match: Match
  /** Null: clicks without a value. Links by their `seq`, hours 0–23, weekdays 1 (Monday)–7. */
  values: readonly (string | number | null)[]
}

/** The clicks that a report covers. */
export interface Selection {
  workspaceNo: number
  /** A single link; null: the whole workspace. */
  linkSeq: number | null
  /** Only these links; null: all. */
  linkSeqs: readonly number[] | null
  /** Only the links that have all these tags (their keys); the engine looks them up. Absent: all. */
  tags?: readonly string[]
  /** Only the links that are in this folder, by these ids; absent: all. */
  folder?: readonly string[]
  /** Only the links that the reader can see; absent: all. */
  view?: View
  /** Not these links; absent: none is left out. */
  exceptSeqs?: readonly number[]
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
 * Numbers of clicks. `clicks` are those that the selection covers; `bots` the bots and previews that
 * match its filters, whatever its mode. `unique`: different visitors among `clicks`, each counted
 * once per UTC day; visitors who asked not to be tracked are not counted.
 */
export interface Counts {
  clicks: number
  unique: number
  bots: number
}

/**
 * Counts over time. A visitor on both sides of a boundary within one UTC day is counted once in
 * `totals` and once in each of the two buckets.
 */
export interface Series {
  totals: Counts
  buckets: Counts[]
}

/** Where a page of single clicks ends: the last one's time and its number within that millisecond. */
export interface ClickPosition {
  time: number
  n: number
}

/** A stored click; `time` and `n` together are unique within a workspace. */
export type StoredClick = Click & ClickPosition

/** A stored click as it is read back: visitors are only counted. */
export type ListedClick = Omit<StoredClick, 'visitor'>

/** Formats of an export. */
export type ExportFormat = 'csv' | 'ndjson' | 'parquet'

/** How an export is written. */
export interface ExportOptions {
  format: ExportFormat
  /** CSV without the apostrophe before formulas. */
  raw?: boolean
}

/**
 * Columns of an export in their order, members of its NDJSON and of the API's single clicks, as
 * `ClickSchema` describes them. `link_id` and `domain` are looked up when the export is written.
 */
export const EXPORT_COLUMNS = [
  'id',
  'clicked_at',
  'link_id',
  'domain',
  'kind',
  'reason',
  'trigger',
  ...CLICK_DETAILS,
] as const

/** The most frequent values; `other` has the counts of all that are not listed. */
export interface TopValues {
  values: (Counts & { value: string | number | null })[]
  other: { clicks: number; bots: number }
}

/** Reports on stored clicks: from DuckDB in a process of its own, ClickHouse, or PostgreSQL. */
export interface ClickReports {
  /**
   * Counts between neighbouring boundaries (milliseconds since the Unix epoch, ascending, multiples
   * of 15 minutes except the first and the last): one bucket fewer than boundaries; and the totals.
   */
  series(selection: Selection, boundaries: readonly number[]): Promise<Series>
  /**
   * The values with the most clicks, ties by value. Values without counted clicks are left out. Tags
   * and folders are those of links now, tags by their number and folders by their id, ties by name;
   * a click on a link with several tags counts for each.
   */
  top(selection: Selection, by: Listed, limit: number): Promise<TopValues>
  /** Newest first after `before`, or oldest first after `after`. */
  clicks(
    selection: Selection,
    options: { before?: ClickPosition | null; after?: ClickPosition | null; limit: number },
  ): Promise<ListedClick[]>
  /** Human clicks per UTC day for some links of one workspace, by link, oldest day first. */
  daily(
    linkSeqs: readonly number[],
    firstDay: number,
    days: number,
  ): Promise<[linkSeq: number, clicks: number[]][]>
  /** All clicks of a selection, oldest first, with {@link EXPORT_COLUMNS}, in constant memory. */
  export(selection: Selection, options: ExportOptions): Promise<ReadableStream<Uint8Array>>
}

/** Reports whose questions can be cancelled. */
export interface AskableReports extends ClickReports {
  /** The same reports; their queries are cancelled when the signal aborts. */
  until(signal: AbortSignal): ClickReports
}

/** Statistics can't answer now. What is wrong stays inside; the API answers 503. */
export class StatisticsUnavailable extends AppError {
  constructor(internal: string, options?: ErrorOptions) {
    super('SERVICE_UNAVAILABLE', { ...options, internal, headers: { 'Retry-After': '5' } })
  }
}

/** The links that are in groups, in lists of equal length, as texts: there may be many. */
export interface Members {
  /** The `seq` of each link, separated by commas; a link with several tags is there several times. */
  links: string
  /** The group of each, by its number from 1. */
  groups: string
  /** What the groups are called in reports, in the order of their numbers. */
  values: readonly string[]
}

/** Which links of a workspace are meant. */
export interface LinkGroup {
  /** The keys of tags, of which a link has all. */
  tags: readonly string[]
  /** The ids by which links are in a folder; null: in any, or none. */
  folder: readonly string[] | null
  /** Who must be able to see them, if a key that is restricted to some links; absent: all. */
  view?: View | undefined
}
