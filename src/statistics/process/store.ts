import type { Clock } from '../../base/clock.ts'
import type { ClickRecord } from '../../clicks/record.ts'
import { journalDirectory, type Position } from '../../clicks/segments.ts'
import { databaseFiles } from '../../storage/index.ts'
import { type Batch, createBatch } from '../store/batch.ts'
import type { CompactionSizes } from '../store/compaction.ts'
import { openStatistics, type StatisticsDatabase } from '../store/duckdb.ts'
import { createMaintenance, type Maintenance } from '../store/maintenance.ts'
import { linkNumbers } from '../store/recount.ts'
import { createClickWriter } from '../store/write.ts'
import type { AskableReports, Click } from '../types.ts'
import { clicksAfterIn } from '../watching.ts'
import { statisticsFile } from './files.ts'
import { ingest, type Pass } from './ingest.ts'
import { createLive } from './live.ts'
import type { Answers } from './server.ts'
import { createWriteLock } from './write-lock.ts'

/** The statistics file while it is open. */
export interface Store extends Answers {
  readonly watermark: Position
  /** See the writer's. */
  readonly since: number
  /** Stores what has gathered, up to a batch. */
  pass(): Promise<Pass>
  /** One small step of what keeps the file in order. */
  readonly maintenance: Maintenance
  /** Gives back the memory that storing and answering took. */
  rest(): Promise<void>
  /** Moves the log into the file, and closes it. */
  close(): void
}

/** What a store works with. */
export interface StoreOptions {
  file: string
  /** The journal's. */
  directory: string
  /** The main database, which is only read. */
  mainFile: string
  clock: Clock
  enrich(record: ClickRecord): Click
  createReports(database: StatisticsDatabase): AskableReports
  /** For a test: when the file is made smaller. */
  compaction?: Partial<CompactionSizes>
}

/** The statistics file of a data directory. @throws whatever is wrong with it */
export function openOwnStore(
  dataDir: string,
  options: Pick<StoreOptions, 'clock' | 'enrich' | 'createReports' | 'compaction'>,
): Promise<Store> {
  return openStore({
    ...options,
    file: statisticsFile(dataDir),
    directory: journalDirectory(dataDir),
    mainFile: databaseFiles(dataDir).main,
  })
}

/** @throws whatever is wrong with the file */
export async function openStore(options: StoreOptions): Promise<Store> {
  const database = await openStatistics(options.file)
  try {
    return await useStore(database, options)
  } catch (error) {
    database.close()
    throw error
  }
}

async function useStore(database: StatisticsDatabase, options: StoreOptions): Promise<Store> {
  const { directory, mainFile, clock, enrich } = options
  const writing = await database.connect()
  const writer = await createClickWriter(writing)
  const maintenance = await createMaintenance({
    database,
    mainFile,
    clock,
    changed: writer.forgetFirsts,
    ...(options.compaction !== undefined && { compaction: options.compaction }),
  })
  const reports = options.createReports(database)
  const { writing: exclusively, lock } = createWriteLock()
  // Made at the first click: who is only asked needs none.
  let batch: Batch | undefined
  const live = createLive(clicksAfterIn(reports))

  return {
    reportsUntil: reports.until,
    live,
    maintenance: {
      get due() {
        return maintenance.due
      },
      // A step and a report on a workspace would take 100 MB more beside each other than either does.
      step: () =>
        database.alone(async () => {
          await exclusively(maintenance.step)
          // It reads and writes much that nobody else asks for soon.
          await database.releaseMemory()
        }),
      setRetention: maintenance.setRetention,
    },
    recount: (range) => linkNumbers(database, range),
    lockWrites: lock,
    get watermark() {
      return writer.watermark
    },
    get since() {
      return writer.since
    },
    pass() {
      batch ??= createBatch()
      const into = batch
      return exclusively(() =>
        ingest({ directory, writer, batch: into, enrich, stored: live.publish }),
      )
    },
    async rest() {
      batch = undefined
      await database.releaseMemory()
    },
    close() {
      live.close()
      database.close()
    },
  }
}
