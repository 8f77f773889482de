import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { openVisitors, readWatermark } from '../../clicks/index.ts'
import { syncPath } from '../../lib/base/sync-path.ts'
import { createMemoryLimiter } from '../../platform/limits/index.ts'
import {
  announcingEvents,
  createEventSignal,
  databaseFiles,
  openEmbedded,
  StorageUnavailable,
} from '../../platform/storage/index.ts'
import { createEmbeddedResolver } from '../../redirect/index.ts'
import { statisticsFile } from '../../statistics/process/index.ts'
import { countersCheck, countFailedWrites, storageCheck } from '../operations/checks.ts'
import { watchFiles } from '../operations/watched.ts'
import { openClickPath } from './click-path.ts'
import { forgetEmbedded } from './forget-clicks.ts'
import { type Backend, type BackendInput, createLimiters } from './types.ts'

/** A single machine: SQLite files, DuckDB and in-memory limits, all in one data directory. */
export async function createEmbeddedBackend(input: BackendInput): Promise<Backend> {
  const { logger, clock, random } = input
  const { dataDir } = input.config
  const eventSignal = createEventSignal()
  const embedded = await openEmbedded(dataDir, { logger, replaced: () => clicks.fillCounters() })
  const { counters } = embedded
  const { storage, failures } = countFailedWrites(announcingEvents(embedded, eventSignal.emit))
  const watermark = await readWatermark(storage.read, 0)
  const visitors = openVisitors({ file: resolve(dataDir, 'salts'), clock, random, logger })
  const after = watermark.segment
  const syncReaders = () => syncCounted(dataDir)
  const countersDamaged = () => void counters.check()
  const path = { input, storage, watermark, after, visitors, syncReaders, countersDamaged }
  const clicks = openClickPath(path)
  const { statistics } = clicks
  if (counters.state() !== 'ok') clicks.fillCounters()

  return {
    ...clicks,
    storage,
    eventSignal,
    resolver: createEmbeddedResolver(storage.reader.raw),
    limiters: createLimiters(() => createMemoryLimiter()),
    assertCountersComplete() {
      if (counters.state() !== 'ok') throw new StorageUnavailable('The counters are made anew')
    },
    forgetClicks: forgetEmbedded(dataDir, storage, statistics.client.forget),
    statistics: {
      ...statistics,
      retentionChanged() {
        if (existsSync(statisticsFile(dataDir))) statistics.retentionChanged()
      },
    },
    checks: [storageCheck(storage, failures), countersCheck(counters), ...clicks.checks],
    watch(metrics, redirect) {
      clicks.watch(metrics, redirect)
      watchFiles(metrics, dataDir)
    },
    async close() {
      visitors.close()
      await storage.close()
    },
  }
}

/**
 * Makes committed counts and stored clicks survive a power cut. SQLite doesn't sync its log at each
 * commit here, and DuckDB never syncs the name of the log that it creates. What has left a log is
 * synced in the file itself, which must not be opened here: closing it again would end this
 * process's locks on it (fcntl(2)).
 */
async function syncCounted(dataDir: string): Promise<void> {
  await syncPath(`${databaseFiles(dataDir).counters}-wal`)
  await syncPath(`${statisticsFile(dataDir)}.wal`)
  await syncPath(dataDir)
}
