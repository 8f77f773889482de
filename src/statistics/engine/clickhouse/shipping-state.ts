import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSqlite } from '../../../storage/index.ts'
import { NOTHING_SHIPPED, type ShippingState } from '../shared/shipping.ts'

/** `process/store-state.ts` recognises this text. */
const LOCKED = 'Could not set lock: another process ships this journal'

/** Where a data directory keeps the state of its shipping to ClickHouse. */
export function shippingFile(dataDir: string): string {
  return join(dataDir, 'shipping')
}

/** The state that was written last. @throws when it is damaged */
export function readShippingState(file: string): ShippingState {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return NOTHING_SHIPPED
  }
  return JSON.parse(text) as ShippingState
}

/** Replaces it; survives a power failure when it returns. */
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

/** The newest segment of the journal that was ever sent, even in part; none up to it is reused. */
export function lastShippedSegment(dataDir: string): number {
  const { at, pending } = readShippingState(shippingFile(dataDir))
  return Math.max(at.segment, pending?.segment ?? 0)
}

/**
 * Reserves the shipping of a data directory for this process. The operating system holds the lock,
 * through an SQLite file, so it ends with the process.
 * @returns what releases it @throws when another process has it
 */
export function lockShipping(dataDir: string): () => void {
  const { raw, close } = openSqlite(join(dataDir, 'shipping.lock'))
  try {
    raw.run('PRAGMA busy_timeout = 0')
    raw.run('BEGIN IMMEDIATE')
  } catch (cause) {
    close()
    throw new Error(LOCKED, { cause })
  }
  return close
}
