import type { Position } from '../../clicks/segments.ts'

/** Days for which a workspace's clicks are kept; null: without end. */
export type Retention = readonly (readonly [workspaceNo: number, days: number | null])[]

/** What the serving process tells the statistics process. */
export type ToStatistics =
  /** There is something to store. */
  | { kind: 'poke' }
  /** Store to the journal's end, then end. */
  | { kind: 'finish' }
  /** For how long clicks are kept; workspaces that are missing keep theirs. */
  | { kind: 'retention'; retention: Retention }

/**
 * How the statistics file does: `opening` (not tried yet), `ok`, `locked` (another process has it),
 * `corrupt` (it isn't one of ours, or damaged), `full` (no space left), `failed` (any other reason).
 */
export type StoreState = 'opening' | 'ok' | 'locked' | 'corrupt' | 'full' | 'failed'

/** What the statistics process tells the serving process. */
export type FromStatistics =
  /** It takes questions at this socket. */
  | { kind: 'ready'; socket: string }
  /** The state has changed, or a pass is over. */
  | {
      kind: 'stored'
      state: StoreState
      /** { 0, 0 } until the file is open. */
      watermark: Position
      /** Time from which all clicks are in the file; 0: all that there ever were. */
      since: number
      /** Time of the newest click stored since the start; 0: none yet. */
      upTo: number
      /** Since the start. */
      stored: number
      skipped: number
      fileBytes: number
    }
