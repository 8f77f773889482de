import type { FilledRow } from '../../clicks/fill.ts'
import type { LinkCounts } from '../../clicks/recount.ts'
import type { Position } from '../../clicks/segments.ts'
import type { Dialect } from '../reports/dialect.ts'
import type {
  ClickReports,
  EXPORT_COLUMNS,
  Group,
  LinkGroup,
  ListedClick,
  Members,
  Selection,
} from '../types.ts'

/** Where reports get their rows: DuckDB, ClickHouse or PostgreSQL. */
export interface Engine {
  readonly dialect: Dialect
  /**
   * Runs one SELECT. Rows are arrays in the order of the columns; integers may be numbers, bigints or
   * decimal text. The query is cancelled when the signal aborts.
   */
  query(sql: string, values: readonly string[], signal?: AbortSignal): Promise<unknown[][]>
  /** The clicks of a selection for an export, oldest first, until the signal aborts. */
  pages(selection: Selection, signal: AbortSignal): AsyncGenerator<readonly ListedClick[]>
}

/** Data about links and domains from the main database. */
export interface LinkFacts {
  /** The ids of links; unknown links are missing. */
  links(seqs: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** The links of a workspace that are in a folder and have tags. */
  grouped(workspaceNo: number, group: LinkGroup): Promise<readonly number[]>
  /** The links of a workspace that are in these folders. */
  inFolders(workspaceNo: number, folders: readonly string[]): Promise<readonly number[]>
  /** The links of a workspace by their tags or folders. */
  members(workspaceNo: number, by: Group): Promise<Members>
  /** The hosts of all domains, by their number. */
  domains(): Promise<ReadonlyMap<number, string>>
}

/** A click as it is exported; other members are ignored. */
export type ExportRow = Record<(typeof EXPORT_COLUMNS)[number], string | null> & { time: number }

/** The bytes of an export in one format. */
export interface RowFormat {
  head: Uint8Array
  page(rows: readonly ExportRow[]): Uint8Array
  end(): Uint8Array
}

/** Where in the journal, and from when (0: always), a snapshot has all clicks. */
export type RecountHead = Position & { since: number }

/** What a statistics file that is whole says of itself. */
export type StoredFacts = RecountHead & {
  /** All that are stored, with those of purged days. */
  clicks: number
}

/** A link's numbers by its stored clicks and what is left of purged ones. */
export type LinkNumbers = [linkSeq: number, human: number, bot: number, unique: number]

/** A line of {@link Answers.counters}; `end`: the last one. */
export type CountersLine = RecountHead | FilledRow | 'end'

/** A link's numbers after clicks of it were deleted, and how far the journal is stored. */
export type Forgotten = RecountHead & LinkCounts

/** Days for which each workspace's clicks are kept; null: without limit. Workspaces that are missing keep theirs. */
export type Retention = readonly (readonly [workspaceNo: number, days: number | null])[]

/** Periodic work on the stored clicks, done in steps. */
export interface Maintenance {
  /** True: a round is due or not finished. */
  readonly due: boolean
  /** Runs one step in a transaction of its own. */
  step(): Promise<void>
  setRetention(retention: Retention): void
}

/** What can be asked while the store is open. */
export interface Answers {
  /** Reports that are cancelled by the signal. */
  reportsUntil(signal: AbortSignal): ClickReports
  /**
   * All that counters are filled with, after a {@link RecountHead}: visitors since a day, and months
   * since one. Absent where there is no file of counters.
   */
  counters?(sinceDay: number, sinceMonth: number): ReadableStream<Uint8Array>
  /** Deletes a link's clicks before a time in milliseconds; repeating it changes nothing. */
  forget?(linkSeq: number, before: number): Promise<Forgotten>
  /** See `write-lock.ts`; absent where there is no file to copy. */
  lockWrites?(): ReadableStream<Uint8Array>
  /** See `checkFile`; absent where there is no file. */
  check?(): Promise<StoredFacts>
}

/** The result of one pass over the journal. */
export interface Pass {
  /** Clicks stored. */
  records: number
  /** Damaged lines skipped. */
  skipped: number
  /** False: there is more to store. */
  complete: boolean
  /** Time of the newest click stored; 0 when there was none. */
  upTo: number
}

/** The stored clicks while they are open. */
export interface Store extends Answers {
  /** The journal is stored up to here. */
  readonly watermark: Position
  /** Time from which all clicks are stored, in milliseconds since the Unix epoch; 0: from the beginning. */
  readonly since: number
  /** Stores a batch from the journal, as a whole or not at all. */
  pass(): Promise<Pass>
  readonly maintenance: Maintenance
  /** Gives back memory that queries and writes have used. */
  rest(): Promise<void>
  close(): void
}
