import type { Hidden } from '../base/hidden.ts'
import type { Logger } from '../base/logger.ts'
import { createSharedLimiter, type SharedLimiter } from '../limits/index.ts'
import { Bus } from './bus.ts'
import { startHeartbeat } from './heartbeat.ts'
import {
  createLinkInvalidation,
  type LinkInvalidation,
  type LinkMemory,
} from './link-invalidation.ts'
import { connectRedis, isReady } from './redis.ts'
import { createScripts } from './scripts.ts'

/** What all nodes share quickly. */
export type Cluster = ReturnType<typeof openCluster>

/** How it does. */
export type ClusterState = ReturnType<Cluster['state']>

/** Connects to Redis. It needn't be there: everything works on, worse, and mends itself. */
export function openCluster(options: {
  url: Hidden
  logger: Pick<Logger, 'info' | 'warn'>
  nodeId: string
  /** Tells instances apart that share a Redis; stands before every key and channel. */
  namespace?: string
  /** False in a command: it isn't counted as a node. */
  member?: boolean
  /** Where the number of nodes is kept for a start without Redis. */
  nodesFile?: string | undefined
  /** So long a request waits for Redis at most, in milliseconds. */
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
    /** A limit of all nodes together; `secret` given: keys leave this machine as keyed hashes. */
    limiter(name: string, secret?: Uint8Array): SharedLimiter {
      const limiter = createSharedLimiter({ name, scripts, nodes, secret })
      limiters.push(limiter)
      return limiter
    },
    /** Connects what remembers links with the other nodes. */
    linkInvalidation(memory?: LinkMemory): LinkInvalidation {
      const made = createLinkInvalidation(bus, nodeId, memory)
      invalidations.push(made)
      return made
    },
    /** Resolves when Redis has answered, or after `withinMs` without. */
    async settled(withinMs: number): Promise<void> {
      if (isReady(commands) && bus.state().heard) return
      const { promise, resolve } = Promise.withResolvers<void>()
      bus.listen({ connected() {}, hearing: (heard) => heard && resolve() })
      const timer = setTimeout(resolve, withinMs)
      await promise
      clearTimeout(timer)
    },
    state: () => ({
      ...bus.state(),
      /** Redis takes commands, and answers in time. */
      up: scripts.available,
      nodes: nodes(),
      /** Answers of Redis that came too late. */
      late: scripts.late,
      /** Requests that this node's own limits decided. */
      alone: limiters.reduce((sum, limiter) => sum + limiter.alone, 0),
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

/** The other connection tells already. */
const QUIET = { info() {}, warn() {} }
