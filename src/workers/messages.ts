import type { Position } from '../clicks/segments.ts'

/** How far a worker has come in the journal. */
export interface Progress {
  watermark: Position
  /** Time of the newest click that is done, in milliseconds since the Unix epoch; 0: none yet. */
  upTo: number
  /** Damaged lines read since the worker's start. */
  skipped: number
}

/** What the serving process sends to a worker. `N`: what this kind of worker needs to know. */
export type ToWorker<N> =
  /** The journal may hold something new. */
  | { kind: 'wake' }
  /** Read to the journal's end, then end. */
  | { kind: 'finish' }
  | { kind: 'notice'; notice: N }

/** What a worker sends to the serving process. `R`: what this kind of worker reports of itself. */
export type FromWorker<R> =
  /** It answers requests at this socket. */
  | { kind: 'ready'; socket: string }
  /** A pass has ended; `progress` is null when it failed. `memoryBytes`: resident. */
  | { kind: 'pass'; progress: Progress | null; report: R; memoryBytes: number }
