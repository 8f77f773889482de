import type { Position } from '../segments.ts'

/** A worker's progress in the journal. */
export interface Progress {
  watermark: Position
  /** Time of the newest processed click, in milliseconds since the Unix epoch; 0: none yet. */
  upTo: number
  /** Damaged lines read since the worker's start. */
  skipped: number
}

/** Messages from the serving process to a worker. `N`: notices for this kind of worker. */
export type ToWorker<N> =
  /** The journal may have new clicks. */
  | { kind: 'wake' }
  /** Read to the journal's end, then end. */
  | { kind: 'finish' }
  | { kind: 'notice'; notice: N }

/** Messages from a worker to the serving process. `R`: the report of this kind of worker. */
export type FromWorker<R> =
  /** It answers requests at this socket. */
  | { kind: 'ready'; socket: string }
  /** A pass has ended; `progress` is null if it failed, or isn't over. `memoryBytes`: resident. */
  | { kind: 'pass'; progress: Progress | null; report: R; memoryBytes: number }
