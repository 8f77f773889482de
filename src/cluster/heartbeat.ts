import { readFileSync, writeFileSync } from 'node:fs'
import type { Scripts } from './scripts.ts'

/** Puts a node down as alive, forgets the dead, and counts; all on the server's clock. */
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
/** A node that was silent for so long is gone. */
const EXPIRY_MS = 5_000

/**
 * Starts to tell that this node is there, and to ask how many there are. `file` keeps the number for
 * a start without Redis: a node that knows nothing would think it's alone.
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
      // The number that was heard last stays.
    }
  }

  const timer = setInterval(beat, EVERY_MS).unref()
  void beat()
  return {
    /** How many there were when it was last heard; at least 1. */
    nodes: () => count,
    /** Reports it now instead of with the next beat. */
    beat,
    /** This node goes: the others needn't wait for it to be silent long enough. */
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
