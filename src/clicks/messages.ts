import type { Position } from './segments.ts'

/** What the serving process tells the click worker. */
export type ToWorker =
  /** There is something to count; `gone`: links that were deleted. */
  | { kind: 'poke'; gone?: readonly number[] }
  /** Count to the journal's end, then end. */
  | { kind: 'finish' }

/** What the worker tells the serving process, after each pass. */
export interface FromWorker {
  kind: 'counted'
  watermark: Position
  /** Time of the newest click that is counted; 0: none yet. */
  countedUpTo: number
  /** Damaged lines met since the worker's start. */
  skipped: number
}
