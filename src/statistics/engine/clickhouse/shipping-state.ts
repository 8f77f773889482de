import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../../base/replace-file.ts'
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
  replaceFile(file, JSON.stringify(state))
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
