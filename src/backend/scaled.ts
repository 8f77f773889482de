import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { ownProgram } from '../base/own-program.ts'
import {
  createRecorder,
  createSharedPeopleSoFar,
  createSupervisor,
  createTrimmer,
  journalDirectory,
  openJournal,
  openSharedVisitors,
  type Position,
} from '../clicks/index.ts'
import { announcingLinks, openCluster } from '../cluster/index.ts'
import { openNode } from '../cluster/node.ts'
import type { ScaledConfig } from '../config/index.ts'
import { journalCheck, statisticsCheck, workerCheck } from '../operations/click-checks.ts'
import { redisCheck, sharedStorageCheck } from '../operations/cluster-checks.ts'
import { watchClicks, watchStatistics } from '../operations/watched.ts'
import { watchCluster } from '../operations/watched-cluster.ts'
import {
  createCachedResolver,
  createFetchSlug,
  keepSnapshots,
  readSnapshot,
} from '../redirect/index.ts'
import { lastShippedSegment } from '../statistics/clickhouse/shipping-state.ts'
import { lastStoredSegment } from '../statistics/postgres/shipping.ts'
import { createStatistics } from '../statistics/process/index.ts'
import { openPostgres } from '../storage/index.ts'
import { rememberJournalEnd } from './journal-end.ts'
import { postgresOptions } from './postgres-options.ts'
import { retentionOf } from './retention.ts'
import type { Backend, BackendInput } from './types.ts'

/** So long a start waits for Redis: without it the node works, more slowly. */
const REDIS_WITHIN_MS = 1_000

/** Several machines: PostgreSQL, Redis and perhaps ClickHouse; the journal stays on each. */
export async function createScaledBackend(
  input: BackendInput,
  scaled: ScaledConfig,
): Promise<Backend> {
  const { config, secrets, plans, logger, clock, ids, random } = input
  const { dataDir } = config
  const database = await openPostgres(postgresOptions(scaled))
  const node = await openNode(dataDir, { storage: database, ids, clock })
  const cluster = openCluster({
    url: scaled.redis,
    logger,
    nodeId: node.id,
    nodesFile: join(dataDir, 'nodes'),
  })
  const resolver = createCachedResolver({ fetch: createFetchSlug(database), clock })
  const snapshot = join(dataDir, 'hot-links')
  resolver.restore(await readSnapshot(snapshot))
  const news = cluster.linkNews(resolver)
  const snapshots = keepSnapshots(snapshot, resolver, {
    failed: (err) => logger.warn({ err }, 'The hottest links can not be written down'),
  })
  const storage = announcingLinks(database, news.announce)
  await cluster.settled(REDIS_WITHIN_MS)

  const watermark = await watermarkOf(database, node.no)
  const journal = openJournal({
    directory: journalDirectory(dataDir),
    after: Math.max(
      watermark.segment,
      await lastStoredSegment(database, node.no),
      lastShippedSegment(dataDir),
    ),
    logger,
    recovered: pokeReaders,
  })
  const visitors = await openSharedVisitors({
    storage: database,
    key: secrets.visitors,
    file: resolve(dataDir, 'salts'),
    clock,
    random,
    logger,
  })
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
    nodeId: node.id,
    storage,
    resolver,
    limiters: {
      api: cluster.limiter('api'),
      people: cluster.limiter('people'),
      anonymous: cluster.limiter('anonymous', secrets.accounts),
      visitors: cluster.limiter('visitors', secrets.accounts),
      guesses: cluster.limiter('guesses', secrets.accounts),
      reports: cluster.limiter('reports', secrets.accounts),
      invitations: cluster.limiter('invitations'),
    },
    journal,
    recorder,
    counting: supervisor,
    peopleSoFar: createSharedPeopleSoFar({ dataDir, nodeNo: node.no, storage: database, journal }),
    statistics: {
      client: statistics.client,
      state: statistics.state,
      retentionChanged: statistics.retentionChanged,
    },
    checks: [
      sharedStorageCheck(database, resolver),
      redisCheck(cluster),
      journalCheck(journal),
      workerCheck(supervisor),
      statisticsCheck(statistics),
    ],
    watch(metrics, redirect) {
      watchClicks(metrics, { journal, supervisor, redirect })
      watchStatistics(metrics, statistics)
      watchCluster(metrics, { resolver, cluster })
    },
    async closeJournal() {
      const { segment } = journal.position
      await journal.close()
      rememberJournalEnd(dataDir, Math.max(segment, watermark.segment))
    },
    async finish(withinMs) {
      await Promise.all([supervisor.stop(withinMs), statistics.stop(withinMs), snapshots.close()])
      await trimmer.close()
    },
    async close() {
      visitors.close()
      resolver.close()
      await storage.close()
      await cluster.close()
    },
  }
}

/** How far this node's journal has been counted. */
async function watermarkOf(
  { read }: Pick<Backend['storage'], 'read'>,
  nodeNo: number,
): Promise<Position> {
  const { rows } = await sql<Position>`SELECT segment, "offset" FROM node_watermarks
    WHERE node_no = ${nodeNo}`.execute(read.db)
  return rows[0] ?? { segment: 0, offset: 0 }
}
