import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Position } from '../../clicks/segments.ts'

/** How far a node's journal is in ClickHouse. */
export interface ShippingState {
  /** Everything before it is stored. */
  at: Position
  /** The end of a batch that was begun: some of it may be stored. Null: none was. */
  pending: Position | null
  /** Batches that were stored so far. */
  batches: number
  /** Time of the newest click that was stored, in milliseconds; 0: none was. */
  newest: number
}

/** Where a data directory keeps it. */
export function shippingFile(dataDir: string): string {
  return join(dataDir, 'shipping')
}

/** What the last start left; at its beginning when there is none. @throws when it is damaged */
export function readShippingState(file: string): ShippingState {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { at: { segment: 0, offset: 0 }, pending: null, batches: 0, newest: 0 }
  }
  return JSON.parse(text) as ShippingState
}

/** Replaces it; survives a power cut when it returns. */
export function writeShippingState(file: string, state: ShippingState): void {
  const descriptor = openSync(`${file}.new`, 'w', 0o600)
  try {
    writeSync(descriptor, JSON.stringify(state))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.new`, file)
  const directory = openSync(dirname(file), 'r')
  fsyncSync(directory)
  closeSync(directory)
}

/** The newest segment of the journal that was ever sent, wholly or not; none up to it is reused. */
export function lastShippedSegment(dataDir: string): number {
  const { at, pending } = readShippingState(shippingFile(dataDir))
  return Math.max(at.segment, pending?.segment ?? 0)
}
