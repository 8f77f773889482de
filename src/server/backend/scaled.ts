import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { openSharedVisitors } from '../../clicks/index.ts'
import { announcingLinks, openCluster } from '../../platform/cluster/index.ts'
import { openNode } from '../../platform/cluster/node.ts'
import type { ScaledConfig } from '../../platform/config/index.ts'
import {
  announcingEvents,
  createEventSignal,
  openPostgres,
  type Storage,
} from '../../platform/storage/index.ts'
import { createCachedResolver, createFetchSlug, createLinkFollower } from '../../redirect/index.ts'
import { linksCheck, redisCheck, sharedStorageCheck } from '../operations/checks.ts'
import { watchCluster } from '../operations/watched.ts'
import { openClickPath } from './click-path.ts'
import { postgresOptions } from './databases.ts'
import { forgetShared } from './forget-clicks.ts'
import { startCacheWarmer } from './link-memory.ts'
import { type Backend, type BackendInput, createLimiters } from './types.ts'

/** How long a start waits for Redis: without it the node works, more slowly. */
const REDIS_WITHIN_MS = 1_000

/** Several machines: PostgreSQL, Redis and optionally ClickHouse; the journal stays on each. */
export async function createScaledBackend(
  input: BackendInput,
  scaled: ScaledConfig,
): Promise<Backend> {
  const { secrets, logger, metrics, clock, ids, random } = input
  const { dataDir } = input.config
  const queries = metrics.histogram('postgres_query_duration_seconds', 'Statements, there and back')
  const observe = (ms: number) => queries.observe(ms / 1_000)
  // A failed start is retried, so everything opened is closed.
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(
    await openPostgres({ ...postgresOptions(scaled), observe }),
    (storage) => storage.close(),
  )
  const node = await openNode(dataDir, { storage: database, ids, clock })
  const nodesFile = join(dataDir, 'nodes')
  const cluster = opened.adopt(
    openCluster({ url: scaled.redis, logger, nodeId: node.id, nodesFile }),
    ({ close }) => close(),
  )
  const resolver = createCachedResolver({ fetch: createFetchSlug(database), clock })
  opened.defer(() => resolver.close())
  const { announce } = cluster.linkInvalidation(resolver)
  const eventSignal = createEventSignal()
  const storage = announcingEvents(
    announcingLinks(database, announce),
    cluster.shareEventNews(eventSignal),
  )
  const follower = createLinkFollower({ storage: database, resolver, clock, logger })
  opened.defer(follower.close)
  await cluster.settled(REDIS_WITHIN_MS)
  const file = resolve(dataDir, 'salts')
  const key = secrets.visitors
  const visitors = await openSharedVisitors({ storage: database, key, file, clock, random, logger })
  opened.defer(visitors.close)
  const progress = await progressOf(database, node.no)
  // First, so that changes during the fill are followed.
  await follower.start()
  const closeLinks = await startCacheWarmer({
    resolver,
    storage: database,
    file: join(dataDir, 'hot-links'),
    logger,
  })
  const clicks = openClickPath({
    input,
    storage,
    visitors,
    ...progress,
    databaseTime: () => timeOf(database),
  })
  opened.move()

  return {
    ...clicks,
    nodeId: node.id,
    storage,
    eventSignal,
    resolver,
    caughtUp: follower.caughtUp,
    limiters: createLimiters((name, areAddresses) =>
      cluster.limiter(name, areAddresses ? secrets.accounts : undefined),
    ),
    forgetClicks: forgetShared(database, clicks.statistics.client.forget),
    assertCountersComplete() {},
    checks: [
      sharedStorageCheck(database, resolver),
      linksCheck(resolver, clock),
      redisCheck(cluster),
      ...clicks.checks,
    ],
    watch(metrics, redirect) {
      clicks.watch(metrics, redirect)
      watchCluster(metrics, { resolver, cluster, database, clock })
    },
    async finish(withinMs) {
      await Promise.all([clicks.finish(withinMs), closeLinks()])
    },
    async close() {
      visitors.close()
      await follower.close()
      resolver.close()
      await storage.close()
      await cluster.close()
    },
  }
}

/** How far this node's journal is counted, and its newest counted or stored segment. */
async function progressOf({ read }: Pick<Storage, 'read'>, nodeNo: number) {
  const { rows } = await sql<{ segment: number; offset: number; shipped_segment: number }>`
    SELECT segment, "offset", shipped_segment FROM node_watermarks
    WHERE node_no = ${nodeNo}`.execute(read.db)
  const { segment = 0, offset = 0, shipped_segment = 0 } = rows[0] ?? {}
  return { watermark: { segment, offset }, after: Math.max(segment, shipped_segment) }
}

/** The time of the database's clock. @throws StorageUnavailable */
async function timeOf({ read }: Pick<Storage, 'read'>): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms`.execute(read.db)
  return rows[0]?.ms ?? Number.NaN
}
