import type { Position } from '../../clicks/segments.ts'
import type { Dialect } from '../reports/dialect.ts'
import type { ExportOptions, Selection, StoredClick } from '../types.ts'

/** Where reports get their rows: DuckDB, ClickHouse or PostgreSQL. */
export interface Engine {
  readonly dialect: Dialect
  /**
   * Runs one SELECT. Rows are arrays in the order of the columns; integers may be numbers, bigints or
   * decimal text. The query is cancelled when the signal aborts.
   */
  query(sql: string, values: readonly string[], signal?: AbortSignal): Promise<unknown[][]>
  /**
   * Streams the clicks of a selection, oldest first; tags are resolved into `linkSeqs` already. Stops
   * its work when the stream is cancelled or the signal aborts.
   */
  export(
    selection: Selection,
    options: ExportOptions,
    signal?: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>
}

/** Data about links and domains from the main database. */
export interface LinkFacts {
  /** The ids of links; unknown links are missing. */
  links(seqs: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** The links of a workspace that have all these tags (their keys). */
  tagged(workspaceNo: number, tags: readonly string[]): Promise<readonly number[]>
  /** The hosts of all domains, by their number. */
  domains(): Promise<ReadonlyMap<number, string>>
}

/** Facts without any link, tag or domain. */
export const NO_FACTS: LinkFacts = {
  links: async () => new Map(),
  tagged: async () => [],
  domains: async () => new Map(),
}

/** Clicks that are written together, numbered, in journal order. */
export type ClickBatch = readonly StoredClick[]

/** Marks that the journal before this segment is missing. */
export interface Origin {
  segment: number
  /** Time of the first click after the gap, in milliseconds since the Unix epoch. */
  since: number
}

/** The first line of a recount: the state of the store that the numbers are from. */
export interface RecountHead {
  /** The position in the journal up to which clicks are included. */
  segment: number
  offset: number
  /** Time from which all clicks are included; 0: from the beginning. */
  since: number
}

/** Periodic work on the stored clicks, done in steps. */
export interface Maintenance {
  /** True: a round is due or not finished. */
  readonly due: boolean
  /** Runs one step in a transaction of its own. */
  step(): Promise<void>
  /** Days for which each workspace's clicks are kept; null: without limit. */
  setRetention(retention: readonly (readonly [workspaceNo: number, days: number | null])[]): void
}

/** The writer of a node's journal, where the clicks and the watermark are in one store. */
export interface ClickWriter {
  /** The journal is stored up to here. */
  readonly watermark: Position
  /** See {@link RecountHead}. */
  readonly since: number
  /**
   * Numbers the clicks and commits them together with `to`. After an error nothing is stored.
   * @returns the batch with its numbers
   */
  write(clicks: StoredClick[], to: Position, origin?: Origin): Promise<void>
}
