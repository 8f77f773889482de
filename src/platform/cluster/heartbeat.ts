import { readFileSync, writeFileSync } from 'node:fs'
import type { Scripts } from './scripts.ts'

/** Registers a node as alive, removes dead ones, and counts; by the server's clock. */
const BEAT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`
const LEAVE = `return redis.call('ZREM', KEYS[1], ARGV[1])`
const KEY = 'nodes'

const EVERY_MS = 1_000
/** A node that was silent for this long counts as dead. */
const EXPIRY_MS = 5_000

/**
 * Registers this node periodically, and counts the nodes. `file` stores the number for a start
 * without Redis, so that the node doesn't assume to be the only one.
 */
export function startHeartbeat(
  scripts: Pick<Scripts, 'available' | 'run'>,
  nodeId: string,
  file?: string,
) {
  let count = file === undefined ? 1 : countIn(file)

  async function beat(): Promise<void> {
    if (!scripts.available) return
    try {
      const answer = Number(await scripts.run(BEAT, KEY, [nodeId, EXPIRY_MS]))
      if (answer === count || !(answer >= 1)) return
      count = answer
      if (file !== undefined) writeFileSync(file, `${count}\n`)
    } catch {
      // The last known number stays.
    }
  }

  const timer = setInterval(beat, EVERY_MS).unref()
  void beat()
  return {
    /** The last known number of nodes; at least 1. */
    nodes: () => count,
    /** Registers now instead of with the next beat. */
    beat,
    /** Deregisters this node, so that others needn't wait for the timeout. */
    async close() {
      clearInterval(timer)
      if (scripts.available) await scripts.run(LEAVE, KEY, [nodeId]).catch(() => {})
    },
  }
}

function countIn(file: string): number {
  try {
    const count = Number(readFileSync(file, 'utf8'))
    return Number.isInteger(count) && count >= 1 ? count : 1
  } catch {
    return 1
  }
}
