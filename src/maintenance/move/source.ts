import { existsSync } from 'node:fs'
import { silentLogger } from '../../lib/base/logger.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import {
  areUnfilled,
  databaseFiles,
  openSqlite,
  type SqliteConnection,
} from '../../platform/storage/index.ts'
import { drainJournal } from '../../server/backend/drain.ts'
import { openDuckDb } from '../../statistics/engine/duckdb/index.ts'
import { migrateDuckDb } from '../../statistics/engine/duckdb/migrate.ts'
import { ownerIn } from '../../statistics/engine/duckdb/owner.ts'
import { pauseStatistics } from '../../statistics/process/copy.ts'
import { statisticsFile } from '../../statistics/process/index.ts'

const UNFILLED =
  'The counters were damaged, and are being filled from the stored clicks. Nothing was moved. Try again when readiness reports them as ok.'

/** A single-machine instance, opened for reading. */
export type Source = Awaited<ReturnType<typeof openSource>>

/**
 * Opens a data directory. If no server runs, the remaining clicks of the journal are counted and
 * stored first. Links are read last, so that they include those of all clicks.
 * @param scratch a directory for copies
 * @param isRunning the server runs: it owns the statistics file and the journal
 * @throws OperatorError
 */
export async function openSource(
  dataDir: string,
  options: {
    scratch: string
    geoipDatabase: string | null
    plansFile: string | null
    isRunning: boolean
    /** How long the statistics process may take to pause its writes. */
    pauseWithinMs?: number
  },
) {
  const { scratch, geoipDatabase, plansFile, isRunning, pauseWithinMs = 60_000 } = options
  if (!isRunning) {
    await drainJournal({ dataDir, scaled: null, geoipDatabase, plansFile, logger: silentLogger })
  }
  const file = statisticsFile(isRunning ? scratch : dataDir)
  if (isRunning) {
    const paused = await pauseStatistics(dataDir, pauseWithinMs)
    await paused?.copyTo(file).finally(paused.release)
  }
  // Before the first click of a running instance there is no file: an empty one is created.
  const owner = await ownerIn(dataDir)
  const isCopy = isRunning || !existsSync(file)
  const clicks = await openDuckDb(file, { readonly: !isCopy, owner })
  // The server may not have stored a click since its upgrade.
  if (isCopy) await migrateDuckDb(clicks)
  const files = databaseFiles(dataDir)
  const counters = openSnapshot(files.counters)
  if (areUnfilled(counters)) {
    counters.close()
    clicks.close()
    throw new OperatorError('COUNTERS_UNFILLED', UNFILLED)
  }
  const main = openSnapshot(files.main)
  return {
    /** In a transaction that began at `asOf`, in milliseconds since the Unix epoch. */
    main,
    counters,
    clicks,
    asOf: Date.now(),
    close() {
      for (const database of [clicks, counters, main]) database.close()
    },
  }
}

/** Opens a database in a transaction that reads its current state. */
function openSnapshot(file: string): SqliteConnection {
  // Read from end to end, once: a memory map would only evict pages that the server needs.
  const connection = openSqlite(file, { readonly: true, mmapBytes: 0 })
  connection.raw.run('BEGIN')
  connection.raw.query('SELECT count(*) FROM sqlite_schema').get()
  return connection
}
