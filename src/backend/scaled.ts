import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import {
  countedInPostgres,
  createPeopleSoFar,
  journalDirectory,
  openSharedVisitors,
} from '../clicks/index.ts'
import { announcingLinks, type Cluster, openCluster } from '../cluster/index.ts'
import { openNode } from '../cluster/node.ts'
import type { ScaledConfig } from '../config/index.ts'
import { redisCheck, sharedStorageCheck } from '../operations/cluster-checks.ts'
import { watchCluster } from '../operations/watched-cluster.ts'
import {
  createCachedResolver,
  createFetchSlug,
  keepSnapshots,
  readSnapshot,
} from '../redirect/index.ts'
import { openPostgres, type Storage } from '../storage/index.ts'
import { openClickPath } from './click-path.ts'
import { postgresOptions } from './postgres-options.ts'
import type { Backend, BackendInput, Limiters } from './types.ts'

/** So long a start waits for Redis: without it the node works, more slowly. */
const REDIS_WITHIN_MS = 1_000

/** Several machines: PostgreSQL, Redis and perhaps ClickHouse; the journal stays on each. */
export async function createScaledBackend(
  input: BackendInput,
  scaled: ScaledConfig,
): Promise<Backend> {
  const { secrets, logger, clock, ids, random } = input
  const { dataDir } = input.config
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
  const { announce } = cluster.linkInvalidation(resolver)
  const snapshots = keepSnapshots(snapshot, resolver, {
    failed: (err) => logger.warn({ err }, 'The hottest links can not be saved'),
  })
  const storage = announcingLinks(database, announce)
  await cluster.settled(REDIS_WITHIN_MS)
  const file = resolve(dataDir, 'salts')
  const key = secrets.visitors
  const visitors = await openSharedVisitors({ storage: database, key, file, clock, random, logger })
  const progress = await progressOf(database, node.no)
  const clicks = openClickPath({ input, storage, visitors, ...progress })
  const { journal } = clicks

  return {
    ...clicks,
    nodeId: node.id,
    storage,
    resolver,
    limiters: sharedLimiters(cluster, secrets.accounts),
    peopleSoFar: createPeopleSoFar({
      directory: journalDirectory(dataDir),
      journal,
      counted: countedInPostgres(database, node.no),
    }),
    checks: [sharedStorageCheck(database, resolver), redisCheck(cluster), ...clicks.checks],
    watch(metrics, redirect) {
      clicks.watch(metrics, redirect)
      watchCluster(metrics, { resolver, cluster })
    },
    async finish(withinMs) {
      await Promise.all([clicks.finish(withinMs), snapshots.close()])
    },
    async close() {
      visitors.close()
      resolver.close()
      await storage.close()
      await cluster.close()
    },
  }
}

function sharedLimiters({ limiter }: Cluster, secret: Uint8Array): Limiters {
  return {
    api: limiter('api'),
    people: limiter('people'),
    anonymous: limiter('anonymous', secret),
    visitors: limiter('visitors', secret),
    guesses: limiter('guesses', secret),
    reports: limiter('reports', secret),
    invitations: limiter('invitations'),
  }
}

/** How far this node's journal has been counted, and its newest segment that is counted or stored. */
async function progressOf({ read }: Pick<Storage, 'read'>, nodeNo: number) {
  const { rows } = await sql<{ segment: number; offset: number; shipped_segment: number }>`
    SELECT segment, "offset", shipped_segment FROM node_watermarks
    WHERE node_no = ${nodeNo}`.execute(read.db)
  const { segment = 0, offset = 0, shipped_segment = 0 } = rows[0] ?? {}
  return { watermark: { segment, offset }, after: Math.max(segment, shipped_segment) }
}
