import type { Clock } from '../../base/clock.ts'
import type { ClickRecord } from '../../clicks/record.ts'
import { journalDirectory, type Position } from '../../clicks/segments.ts'
import { databaseFiles } from '../../storage/index.ts'
import { checkFile } from '../engine/duckdb/check.ts'
import { createDuckDbEngine, type DuckDb, openDuckDb } from '../engine/duckdb/index.ts'
import { createMaintenance } from '../engine/duckdb/maintenance.ts'
import { linkNumbers } from '../engine/duckdb/recount.ts'
import { createClickWriter } from '../engine/duckdb/write.ts'
import { type LinkFacts, type Maintenance, NO_FACTS } from '../engine/types.ts'
import type { GatherOptions } from '../ingest/gather.ts'
import { createReports } from '../reports/index.ts'
import type { Click } from '../types.ts'
import { statisticsFile } from './files.ts'
import { ingest, type Pass } from './ingest.ts'
import type { Answers } from './server.ts'
import { createWriteLock } from './write-lock.ts'

/** The stored clicks while they are open. */
export interface Store extends Answers {
  /** The journal is stored up to here. */
  readonly watermark: Position
  /** Time from which all clicks are stored, in milliseconds since the Unix epoch; 0: from the beginning. */
  readonly since: number
  /** Stores a batch from the journal. */
  pass(): Promise<Pass>
  readonly maintenance: Maintenance
  /** Gives back memory that queries and writes have used. */
  rest(): Promise<void>
  close(): void
}

/** What a store works with. */
export interface StoreOptions {
  clock: Clock
  enrich(record: ClickRecord): Click
  /** See `gather`. */
  counted?: GatherOptions['counted']
  facts?: LinkFacts
}

/**
 * Opens the statistics file of a data directory.
 * @throws OldFormat; DuckDB's errors when the file is locked, damaged, or can't be written
 */
export async function openOwnStore(dataDir: string, options: StoreOptions): Promise<Store> {
  const database = await openDuckDb(statisticsFile(dataDir))
  try {
    return await useStore(database, dataDir, options)
  } catch (error) {
    database.close()
    throw error
  }
}

async function useStore(
  database: DuckDb,
  dataDir: string,
  { clock, enrich, counted, facts = NO_FACTS }: StoreOptions,
): Promise<Store> {
  const directory = journalDirectory(dataDir)
  const writer = await createClickWriter(database)
  const maintenance = await createMaintenance({
    database,
    mainFile: databaseFiles(dataDir).main,
    clock,
  })
  const reports = createReports(createDuckDbEngine(database, facts), { facts })
  const { writing: exclusively, lock } = createWriteLock()

  return {
    reportsUntil: reports.until,
    maintenance: {
      get due() {
        return maintenance.due
      },
      async step() {
        await exclusively(maintenance.step)
        await database.releaseMemory()
      },
      setRetention: maintenance.setRetention,
    },
    recount: (range) => linkNumbers(database, range),
    lockWrites: lock,
    check: () => exclusively(() => checkFile(database)),
    get watermark() {
      return writer.watermark
    },
    get since() {
      return writer.since
    },
    pass: () => exclusively(() => ingest({ directory, writer, enrich, counted })),
    rest: () => database.releaseMemory(),
    close: database.close,
  }
}
