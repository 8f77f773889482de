import type { Logger } from '../../lib/base/logger.ts'
import type { Secret } from '../../lib/base/secret.ts'
import { createSharedLimiter, type SharedLimiter } from '../limits/index.ts'
import type { EventSignal } from '../storage/index.ts'
import { Bus } from './bus.ts'
import { shareEventNews } from './event-news.ts'
import { startHeartbeat } from './heartbeat.ts'
import {
  createLinkInvalidation,
  type LinkInvalidation,
  type LinkMemory,
} from './link-invalidation.ts'
import { connectRedis, isReady } from './redis.ts'
import { createScripts } from './scripts.ts'

/** What all nodes share over Redis. */
export type Cluster = ReturnType<typeof openCluster>

/** The state of the cluster. */
export type ClusterState = ReturnType<Cluster['state']>

/** Connects to Redis. It may be unavailable: everything works in a degraded mode, and recovers. */
export function openCluster(options: {
  url: Secret
  logger: Pick<Logger, 'info' | 'warn'>
  nodeId: string
  /** Separates instances that share a Redis; the prefix of all keys and channels. */
  namespace?: string
  /** False for a command, which doesn't count as a node. */
  member?: boolean
  /** The file with the number of nodes, for a start without Redis. */
  nodesFile?: string | undefined
  /** How long a request waits for Redis at most, in milliseconds. */
  answerWithinMs?: number | undefined
}) {
  const { url, logger, nodeId, namespace = 'slugline', member = true, nodesFile } = options
  const { answerWithinMs = 50 } = options
  const prefix = `${namespace}:`
  const connections = [
    connectRedis({ url, logger, name: 'slugline' }),
    connectRedis({ url, logger: QUIET, name: 'slugline-bus' }),
  ] as const
  const [{ redis: commands }, { redis: subscriber }] = connections
  const scripts = createScripts(commands, { prefix, withinMs: answerWithinMs })
  const bus = new Bus(commands, subscriber, { prefix, nodeId })
  const heartbeat = member ? startHeartbeat(scripts, nodeId, nodesFile) : undefined
  if (heartbeat !== undefined) commands.on('ready', heartbeat.beat)
  const nodes = () => heartbeat?.nodes() ?? 1
  const limiters: SharedLimiter[] = []
  const invalidations: LinkInvalidation[] = []

  return {
    /** A limiter shared by all nodes; with `secret`, keys leave this machine only hashed. */
    limiter(name: string, secret?: Uint8Array): SharedLimiter {
      const limiter = createSharedLimiter({ name, scripts, nodes, secret })
      limiters.push(limiter)
      return limiter
    },
    /** Connects the cache of links with those of other nodes. */
    linkInvalidation(memory?: LinkMemory): LinkInvalidation {
      const made = createLinkInvalidation(bus, nodeId, memory)
      invalidations.push(made)
      return made
    },
    /** Shares news of events with other nodes. Returns the function that announces a workspace. */
    shareEventNews: (signal: EventSignal) => shareEventNews(bus, nodeId, signal),
    /** Resolves when Redis has responded, or after `withinMs`. */
    async settled(withinMs: number): Promise<void> {
      if (isReady(commands) && bus.state().subscribed) return
      const { promise, resolve } = Promise.withResolvers<void>()
      bus.listen({ hearing: (subscribed) => subscribed && resolve() })
      const timer = setTimeout(resolve, withinMs)
      await promise
      clearTimeout(timer)
    },
    state: () => ({
      ...bus.state(),
      /** Whether Redis accepts commands, and responds in time. */
      up: scripts.available,
      nodes: nodes(),
      /** Late responses of Redis. */
      late: scripts.late,
      /** Requests limited by this node on its own. */
      localFallbackCount: limiters.reduce((sum, limiter) => sum + limiter.localFallbackCount, 0),
    }),
    async close(): Promise<void> {
      await Promise.all(invalidations.map((each) => each.flush()))
      await heartbeat?.close()
      bus.close()
      scripts.close()
      for (const connection of connections) connection.close()
    },
  }
}

/** The other connection logs already. */
const QUIET = { info() {}, warn() {} }
