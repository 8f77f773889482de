import { join } from 'node:path'
import { openSqlite } from '../../storage/index.ts'

/** What is thrown says so in these words: `process/store-state.ts` knows them. */
const HELD = 'Could not set lock: another process ships this journal'

/**
 * Takes the shipping of a data directory for this process. The lock is the operating system's, held
 * through an SQLite file, so that it goes with the process however that ends.
 * @throws when another process has it
 */
export function lockShipping(dataDir: string): () => void {
  const { raw, close } = openSqlite(join(dataDir, 'shipping.lock'))
  try {
    raw.run('PRAGMA busy_timeout = 0')
    raw.run('BEGIN IMMEDIATE')
  } catch (cause) {
    close()
    throw new Error(HELD, { cause })
  }
  return close
}
