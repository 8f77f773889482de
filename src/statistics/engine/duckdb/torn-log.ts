import { closeSync, copyFileSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import type { Logger } from '../../../lib/base/logger.ts'
import { syncPath } from '../../../lib/base/sync-path.ts'
import { damagedLog, statisticsLog } from '../../process/files.ts'
import { isLogTorn } from '../../process/store-state.ts'
import { openDuckDb } from './database.ts'
import type { Owner } from './owner.ts'
import type { DuckDb } from './types.ts'

/** How DuckDB begins a log: the kind of its first entry. */
const LOG_START = Buffer.from([0x64, 0, 0x62])
/** An entry has its length and a checksum before it, eight bytes each. */
const ENTRY_START_BYTES = 16
/** A log that is cut at its first bad entry can be read: more attempts are a reserve. */
const CUTS_AT_MOST = 4

/**
 * Opens the statistics file of a data directory; if the end of DuckDB's log is damaged, cuts it off
 * and keeps the original, see `damagedLog`. DuckDB ignores an end that is missing, but refuses zeros
 * or other bytes, which a power cut leaves where nothing was synced yet.
 *
 * Each commit syncs the log, and so everything before it: the first bad entry belongs to a commit
 * that was still being written, and so does what follows, even if that is whole. The journal has
 * these clicks, because it is only trimmed behind what is synced.
 * @throws as {@link openDuckDb} does
 */
export async function openMended(
  file: string,
  { logger, owner }: { logger?: Pick<Logger, 'warn'> | undefined; owner?: Owner | null },
): Promise<DuckDb> {
  const log = statisticsLog(file)
  for (let cuts = 0; ; cuts++) {
    try {
      return await openDuckDb(file, owner === undefined ? {} : { owner })
    } catch (error) {
      if (!isLogTorn(error) || cuts === CUTS_AT_MOST) throw error
      const bytes = readFileSync(log)
      const end = intactBytes(bytes, (error as Error).message)
      if (end === null || end >= bytes.length) throw error
      // The first original, should another cut be needed.
      if (cuts === 0) await keep(log, damagedLog(file))
      cut(log, end)
      const facts = { file: log, bytes: bytes.length, end, kept: damagedLog(file) }
      logger?.warn(
        facts,
        'The end of the statistics log was damaged, as by a power cut, and is cut off: its clicks are stored again from the journal',
      )
    }
  }
}

/** How much of a log is whole, after an error of DuckDB; null: unknown. */
function intactBytes(log: Buffer, message: string): number | null {
  // It says where the entry's content begins.
  const at = /entry at byte position (\d+)/.exec(message)?.[1]
  if (at !== undefined) return Number(at) - ENTRY_START_BYTES
  if (!log.subarray(0, LOG_START.length).equals(LOG_START)) return 0
  // A length can be so wrong that DuckDB only tells that there isn't so much memory.
  for (let end = log.indexOf('ffff', 'hex') + 2; end < log.length; ) {
    const left = log.length - end - ENTRY_START_BYTES
    const length = left < 0 ? 0n : log.readBigUInt64LE(end)
    if (length === 0n || length > left) return end
    end += ENTRY_START_BYTES + Number(length)
  }
  return null
}

async function keep(log: string, kept: string): Promise<void> {
  copyFileSync(log, kept)
  await syncPath(kept)
}

function cut(log: string, end: number): void {
  const descriptor = openSync(log, 'r+')
  try {
    ftruncateSync(descriptor, end)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
