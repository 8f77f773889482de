import { journalDirectory } from '../../../clicks/segments.ts'
import { databaseFiles } from '../../../platform/storage/index.ts'
import { statisticsFile } from '../../process/files.ts'
import { createReports } from '../../reports/index.ts'
import type { NodeStoreOptions } from '../shared/node.ts'
import { openShipping } from '../shared/shipping.ts'
import type { LinkFacts, Store } from '../types.ts'
import { checkFile } from './check.ts'
import { isOutOfMemory } from './database.ts'
import { createDuckDbEngine, type DuckDb } from './index.ts'
import { createMaintenance } from './maintenance.ts'
import { migrateDuckDb } from './migrate.ts'
import { ownerIn } from './owner.ts'
import { countersOf, forgetClicks } from './recount.ts'
import { createDuckDbTarget } from './shipping.ts'
import { openMended } from './torn-log.ts'
import { createWriteLock } from './write-lock.ts'

interface StoreOptions extends Pick<NodeStoreOptions, 'clock' | 'enrich' | 'counted'> {
  facts?: LinkFacts
  logger?: NodeStoreOptions['logger']
  /** See `migrateDuckDb`. */
  migration?: Parameters<typeof migrateDuckDb>[1]
}

/**
 * Opens the statistics file of a data directory, after a power cut too, and migrates it.
 * @throws OperatorError if it belongs to another instance or its schema is newer or too old; DuckDB's errors
 *   when the file is locked, damaged, or can't be written
 */
export async function openOwnStore(
  dataDir: string,
  options: StoreOptions,
): Promise<Required<Store>> {
  const owner = await ownerIn(dataDir)
  const database = await openMended(statisticsFile(dataDir), { owner, logger: options.logger })
  try {
    await migrateDuckDb(database, options.migration)
    return await useStore(database, dataDir, options)
  } catch (error) {
    database.close()
    throw error
  }
}

async function useStore(
  database: DuckDb,
  dataDir: string,
  { clock, enrich, counted, facts }: StoreOptions,
): Promise<Required<Store>> {
  const directory = journalDirectory(dataDir)
  const shipping = await openShipping({
    ...(await createDuckDbTarget(database)),
    directory,
    enrich,
    counted,
  })
  const mainFile = databaseFiles(dataDir).main
  const maintenance = await createMaintenance({ database, mainFile, clock })
  const { writing: exclusively, lock } = createWriteLock()
  const engine = createDuckDbEngine(database, exclusively)

  /** Stores a batch; again without queries beside it if there isn't memory for both. */
  async function pass(): ReturnType<typeof shipping.pass> {
    try {
      return await shipping.pass()
    } catch (error) {
      if (!isOutOfMemory(error)) throw error
      return await engine.withoutQueries(shipping.pass)
    }
  }

  return {
    reportsUntil: createReports(engine, facts).until,
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
    counters: (sinceDay, sinceMonth) => countersOf(database, sinceDay, sinceMonth),
    forget: (link, before) => exclusively(() => forgetClicks(database, link, before)),
    lockWrites: lock,
    check: () => exclusively(() => checkFile(database)),
    get watermark() {
      return shipping.watermark
    },
    get since() {
      return shipping.since
    },
    pass: () => exclusively(pass),
    rest: () => database.releaseMemory(),
    close: database.close,
  }
}
