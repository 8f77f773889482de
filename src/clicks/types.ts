import type { ClickRecord } from './record.ts'
import type { Position } from './segments.ts'

/** A workspace's monthly limit, and how many clicks are counted. */
export interface Quota {
  limit: number
  used: number
}

/** The additions to a link's counters; `bare…`: how many of these are only counted. */
export interface LinkTally {
  human: number
  bot: number
  bareHuman: number
  bareBot: number
  lastClickedAt: number
}

/** Clicks summed up in memory. */
export interface Tally {
  /** The additions to the links' counters, by link number. */
  readonly links: Map<number, LinkTally>
  /** Visitors: day (UTC, since the epoch), link and the day's hash, separated by spaces. */
  readonly visitors: Set<string>
  /** Clicks by `monthKeyOf` their workspace and month. */
  readonly months: Map<number, number>
  /** The position of the first uncounted click of each month. */
  readonly uncounted: Map<number, Position>
  /** The number of links and visitors, which determines memory. */
  readonly size: number
  add(click: ClickRecord, at: Position): void
}

/** The clicks between two positions of a journal, summed up. */
export interface Batch {
  tally: Tally
  /** The limits of the tally. */
  quotas: ReadonlyMap<number, Quota>
  from: Position
  to: Position
  /** The latest possible `last_clicked_at`; later times come from a wrong clock. */
  latest: number
}

/** What is left of maintenance; `later`: it was done a moment ago, by this or another node. */
export type MaintenanceLeft = 'none' | 'some' | 'later'

/** The links' counters, in `counters.db` or in PostgreSQL; methods throw if it is down. */
export interface CounterStore {
  /** How far the journal of this data directory is counted. */
  watermark(): Promise<Position>
  /** The quotas of workspaces with limited plans, by month, with the keys of a tally. */
  quotas(months: readonly number[]): Promise<Map<number, Quota>>
  /**
   * Writes a batch and the watermark atomically. False, without effect: the watermark isn't at
   * `from`, because another process has counted the same clicks, or other nodes have used up a
   * quota.
   */
  apply(batch: Batch): Promise<boolean>
  /**
   * Adds rows for new links, adapts those of `changed` links (purged, or with other imported
   * clicks) and of others that it finds, and deletes past days and months; a limited part of
   * each.
   */
  maintain(changed: readonly number[], now: number): Promise<MaintenanceLeft>
  close(): void | Promise<void>
}
