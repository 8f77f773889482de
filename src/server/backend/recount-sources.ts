import { sql } from 'kysely'
import {
  createClickCounter,
  fillCounters,
  journalDirectory,
  openSqliteCounters,
  readCounted,
  readWatermark,
} from '../../clicks/index.ts'
import type {
  Difference,
  NodeProgress,
  RecountOptions,
  StoredCounts,
} from '../../clicks/recount.ts'
import { loadPlans } from '../../features/plans/load.ts'
import { clickLimitsOf } from '../../features/plans/service.ts'
import { systemClock } from '../../lib/base/clock.ts'
import type { Config, ScaledConfig } from '../../platform/config/index.ts'
import {
  areUnfilled,
  databaseFiles,
  openSqlite,
  type Sql,
  type Storage,
} from '../../platform/storage/index.ts'
import { clicksLock } from './databases.ts'

/** The sources of a recount's numbers. */
interface RecountSource
  extends Pick<RecountOptions, 'progress' | 'stored' | 'repair' | 'wait' | 'looks'> {
  close(): Promise<void>
}

/** A single machine: the command counts and stores waiting clicks itself if no server runs. */
export async function embeddedSource(
  { dataDir, geoipDatabase, plansFile }: Config,
  { read }: Pick<Storage, 'read'>,
): Promise<RecountSource> {
  const { openRawSource } = await import('../../statistics/process/raw-source.ts')
  const limits = clickLimitsOf(await loadPlans(plansFile))
  const counters = openSqlite(databaseFiles(dataDir).counters)
  const raw = await openRawSource({
    dataDir,
    geoipDatabase,
    counted: () => readCounted(counters, 0),
  })
  if (areUnfilled(counters)) await fillCounters(dataDir, raw.counters, systemClock.now())
  const counter = createClickCounter({
    directory: journalDirectory(dataDir),
    store: openSqliteCounters(dataDir, limits),
    clock: systemClock,
  })
  while ((await counter.pass()).more);
  return {
    // A single machine processes its journal within a few seconds.
    looks: 60,
    wait: () => Bun.sleep(500),
    async progress() {
      const counted = await readWatermark(read, 0)
      const { position } = await raw.numbers([0, 0], counted)
      return [{ node: dataDir, counted, stored: position }]
    },
    stored: (range) => raw.numbers(range, { segment: 0, offset: 0 }),
    repair: (difference) => repairIn(counters.db, difference),
    async close() {
      await raw.close()
      await counter.close()
      counters.close()
    },
  }
}

/** Many nodes, which count and store by themselves. */
export async function scaledSource(
  scaled: ScaledConfig,
  storage: Pick<Storage, 'read' | 'reports' | 'write'>,
): Promise<RecountSource> {
  const { linkNumbers, close } = await storedClicks(scaled, storage)
  return {
    // Nodes report with a delay how far they have stored: five attempts cover that at any load.
    looks: 5,
    wait: () => Bun.sleep(12_000),
    progress: () => progressOfNodes(storage),
    async stored(range): Promise<StoredCounts> {
      const links: StoredCounts['links'] = new Map()
      for await (const [seq, human, bot, unique] of linkNumbers(range)) {
        links.set(seq, { human, bot, unique })
      }
      return { since: 0, links }
    },
    repair: (difference) => storage.write((tx) => repairIn(tx.db, difference)),
    close,
  }
}

/** How far each node has counted and stored its journal. */
export async function progressOfNodes({ read }: Pick<Storage, 'read'>): Promise<NodeProgress[]> {
  const { rows } = await sql<{
    id: string
    segment: number
    offset: number
    shipped_segment: number
    shipped_offset: number
  }>`SELECT id, segment, "offset", shipped_segment, shipped_offset
    FROM node_watermarks JOIN nodes ON no = node_no ORDER BY no`.execute(read.db)
  return rows.map(({ id, segment, offset, shipped_segment, shipped_offset }) => ({
    node: id,
    counted: { segment, offset },
    stored: { segment: shipped_segment, offset: shipped_offset },
  }))
}

/** Sets a link's counters to the numbers of its clicks; see `repair` of `RecountOptions`. */
export async function repairIn(
  db: Sql['db'],
  { linkSeq, counted, total, clicks }: Difference,
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE link_counters SET total = ${clicks.human + clicks.bot} + bare_human + bare_bot,
      human = ${clicks.human} + bare_human, bot = ${clicks.bot} + bare_bot,
      unique_visitors = ${clicks.unique} + bare_unique
    WHERE link_seq = ${linkSeq} AND human - bare_human = ${counted.human}
      AND bot - bare_bot = ${counted.bot} AND unique_visitors - bare_unique = ${counted.unique}
      AND total - bare_human - bare_bot = ${total}
    RETURNING 1`.execute(db)
  return rows.length > 0
}

/** The store with the clicks of all nodes. */
async function storedClicks(scaled: ScaledConfig, storage: Pick<Storage, 'reports'>) {
  const { clickhouse } = scaled
  type Range = readonly [number, number]
  if (clickhouse === null) {
    const { linkNumbers } = await import('../../statistics/engine/postgres/reports.ts')
    return { linkNumbers: (range: Range) => linkNumbers(storage, range), async close() {} }
  }
  const { openClickHouse } = await import('../../statistics/engine/clickhouse/client.ts')
  const { linkNumbers } = await import('../../statistics/engine/clickhouse/reports.ts')
  const { migrateClickHouse } = await import('../../statistics/engine/clickhouse/migrate.ts')
  const clickHouse = openClickHouse(clickhouse.reveal())
  await migrateClickHouse(clickHouse, { exclusively: clicksLock(scaled) })
  return {
    linkNumbers: (range: Range) => linkNumbers(clickHouse, range),
    close: clickHouse.close,
  }
}
