import { readWatermark } from '../../clicks/index.ts'
import {
  type Compared,
  compareCounts,
  type Difference,
  isBehind,
  progressOfNodes,
  repairIn,
  type StoredCounts,
} from '../../clicks/recount.ts'
import { isBefore } from '../../clicks/segments.ts'
import { silentLogger } from '../../lib/base/logger.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import type { Config, ScaledConfig } from '../../platform/config/index.ts'
import { databaseFiles, openSqlite, type Storage } from '../../platform/storage/index.ts'
import { ownerIn } from '../../statistics/engine/duckdb/owner.ts'
import { statisticsFile } from '../../statistics/process/files.ts'
import { stateOf } from '../../statistics/process/store-state.ts'
import { clicksLock } from './databases.ts'
import { drainJournal } from './drain.ts'

/** The statistics process of a server that was stopped or killed ends within this time. */
const FREE_WITHIN_MS = 30_000
const RETRY_MS = 200
/** Nodes report within this time how far they have stored, at any load. */
const REPORTED_WITHIN_MS = 12_000

type Range = readonly [first: number, end: number]

/** What a recount found and repaired. */
export interface Recounted extends Compared {
  /** See {@link StoredCounts}. */
  since: number
}

/**
 * Compares the counters of links, first ≤ seq < end, with their stored clicks and repairs differences,
 * on a single machine whose server is stopped: the caller holds its lock. The rest of the journal is
 * counted and stored first.
 * @throws OperatorError when counted clicks are missing from the statistics; DuckDB's errors
 */
export async function recountStopped(
  settings: Config,
  storage: Pick<Storage, 'read'>,
  range: Range,
): Promise<Recounted> {
  const { dataDir } = settings
  await drain(settings)
  const { openDuckDb } = await import('../../statistics/engine/duckdb/index.ts')
  const { linkNumbers } = await import('../../statistics/engine/duckdb/recount.ts')
  const owner = await ownerIn(dataDir)
  const clicks = await openDuckDb(statisticsFile(dataDir), { readonly: true, owner })
  const counters = openSqlite(databaseFiles(dataDir).counters)
  try {
    const { at, ...stored } = await linkNumbers(clicks, range)
    if (isBefore(at, await readWatermark(counters, 0))) {
      const missing = 'The statistics lack clicks that are counted, so nothing can be compared.'
      throw new OperatorError('STATISTICS_INCOMPLETE', missing)
    }
    const compared = await compareCounts(storage, range, stored)
    return await repaired(compared, stored.since, (each) => repairIn(counters.db, each))
  } finally {
    counters.close()
    clicks.close()
  }
}

/** Counts and stores the rest of the journal, when the statistics file is free. */
async function drain(settings: Config): Promise<void> {
  for (const end = performance.now() + FREE_WITHIN_MS; ; await Bun.sleep(RETRY_MS)) {
    try {
      await drainJournal({ ...settings, logger: silentLogger })
      return
    } catch (error) {
      if (stateOf(error) !== 'locked' || performance.now() > end) throw error
    }
  }
}

/**
 * The same on many nodes, while none of them counts or stores a click.
 * @throws OperatorError when one does, or has clicks that are not counted or not stored
 */
export async function recountNodes(
  scaled: ScaledConfig,
  storage: Pick<Storage, 'read' | 'reports' | 'write'>,
  range: Range,
): Promise<Recounted> {
  const before = await progressOfNodes(storage)
  if (isBehind(before, before)) throw busy()
  const stored = await storedClicks(scaled, storage, range)
  const compared = await compareCounts(storage, range, stored)
  // A click that was stored before it was counted is reported by then.
  await Bun.sleep(REPORTED_WITHIN_MS)
  if (!Bun.deepEquals(await progressOfNodes(storage), before)) throw busy()
  return await repaired(compared, 0, (each) => storage.write((tx) => repairIn(tx.db, each)))
}

function busy(): OperatorError {
  const message =
    'Nothing was compared: clicks arrive, or are not all counted and stored. Stop all nodes and try again; ' +
    'start or drain one that was killed first.'
  return new OperatorError('NODES_BEHIND', message)
}

async function repaired(
  compared: Compared,
  since: number,
  repair: (difference: Difference) => Promise<boolean>,
): Promise<Recounted> {
  const differences: Difference[] = []
  for (const each of compared.differences) if (await repair(each)) differences.push(each)
  return { ...compared, differences, since }
}

/** The numbers of the clicks of all nodes. */
async function storedClicks(
  scaled: ScaledConfig,
  storage: Pick<Storage, 'reports'>,
  range: Range,
): Promise<StoredCounts> {
  const links = new Map<number, { human: number; bot: number; unique: number }>()
  const { numbers, close } = await storeOf(scaled, storage, range)
  try {
    for await (const [seq, human, bot, unique] of numbers) links.set(seq, { human, bot, unique })
  } finally {
    await close()
  }
  return { since: 0, links }
}

async function storeOf(scaled: ScaledConfig, storage: Pick<Storage, 'reports'>, range: Range) {
  const { clickhouse } = scaled
  if (clickhouse === null) {
    const { linkNumbers } = await import('../../statistics/engine/postgres/reports.ts')
    return { numbers: linkNumbers(storage, range), async close() {} }
  }
  const { openClickHouse } = await import('../../statistics/engine/clickhouse/client.ts')
  const { linkNumbers } = await import('../../statistics/engine/clickhouse/reports.ts')
  const { migrateClickHouse } = await import('../../statistics/engine/clickhouse/migrate.ts')
  const clickHouse = openClickHouse(clickhouse.reveal())
  await migrateClickHouse(clickHouse, { exclusively: clicksLock(scaled) })
  return { numbers: linkNumbers(clickHouse, range), close: clickHouse.close }
}
