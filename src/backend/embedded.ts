import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { ownProgram } from '../base/own-program.ts'
import {
  createPeopleSoFar,
  createRecorder,
  createSupervisor,
  createTrimmer,
  journalDirectory,
  openJournal,
  openVisitors,
} from '../clicks/index.ts'
import { journalCheck, statisticsCheck, workerCheck } from '../operations/click-checks.ts'
import { countFailedWrites, storageCheck } from '../operations/index.ts'
import { watchClicks, watchProcess, watchStatistics } from '../operations/watched.ts'
import { createEmbeddedResolver } from '../redirect/index.ts'
import { createStatistics, statisticsFile } from '../statistics/process/index.ts'
import { openEmbedded } from '../storage/index.ts'
import { journalEnd, rememberJournalEnd } from './journal-end.ts'
import { memoryLimiters } from './memory-limiters.ts'
import { retentionOf } from './retention.ts'
import type { Backend, BackendInput } from './types.ts'

/** One machine: SQLite files, DuckDB and the limits' memory, all in one data directory. */
export async function createEmbeddedBackend(input: BackendInput): Promise<Backend> {
  const { config, plans, logger, clock, random } = input
  const { dataDir } = config
  const { storage, failures } = countFailedWrites(await openEmbedded(dataDir))

  const [watermark = { segment: 0, offset: 0 }] = await storage.read.db
    .selectFrom('journal_watermark')
    .select(['segment', 'offset'])
    .execute()
  const journal = openJournal({
    directory: journalDirectory(dataDir),
    // Should the counters be lost, the statistics still know how far they had come.
    after: Math.max(watermark.segment, journalEnd(dataDir, journalDirectory(dataDir)) ?? 0),
    logger,
    recovered: pokeReaders,
  })
  const visitors = openVisitors({ file: resolve(dataDir, 'salts'), clock, random, logger })
  const supervisor = createSupervisor({
    command: ownProgram('click-worker', '--data-dir', dataDir),
    journal,
    watermark,
    clock,
    logger,
    counted: () => trimmer.trim(),
  })
  const statistics = createStatistics({
    command: ownProgram('statistics', '--data-dir', dataDir),
    journal,
    clock,
    logger,
    retention: () => retentionOf(storage, plans),
    advanced: () => trimmer.trim(),
  })
  const trimmer = createTrimmer({
    directory: journalDirectory(dataDir),
    watermarks: () => [supervisor.state().watermark, statistics.state().watermark],
    logger,
  })
  const recorder = createRecorder(journal, visitors, pokeReaders)
  function pokeReaders(): void {
    supervisor.poke()
    statistics.poke()
  }

  return {
    storage,
    resolver: createEmbeddedResolver(storage.reader.raw),
    limiters: memoryLimiters(),
    journal,
    recorder,
    counting: supervisor,
    peopleSoFar: createPeopleSoFar(dataDir, storage.reader.raw, journal),
    statistics: {
      client: statistics.client,
      state: statistics.state,
      retentionChanged() {
        if (existsSync(statisticsFile(dataDir))) statistics.retentionChanged()
      },
    },
    checks: [
      storageCheck(storage, failures),
      journalCheck(journal),
      workerCheck(supervisor),
      statisticsCheck(statistics),
    ],
    watch(metrics, redirect) {
      watchClicks(metrics, { journal, supervisor, redirect })
      watchStatistics(metrics, statistics)
      watchProcess(metrics, { dataDir })
    },
    async closeJournal() {
      const { segment } = journal.position
      await journal.close()
      rememberJournalEnd(dataDir, segment)
    },
    async finish(withinMs) {
      await Promise.all([supervisor.stop(withinMs), statistics.stop(withinMs)])
      await trimmer.close()
    },
    async close() {
      visitors.close()
      await storage.close()
    },
  }
}
