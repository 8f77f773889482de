import type { Redis } from 'ioredis'
import { withTimeout } from '../../lib/base/with-timeout.ts'
import { isReady } from './redis.ts'

/** How often a server that was too slow is retried. */
const RETRY_MS = 100
const LATE = Symbol('late')

type Command = (key: string, ...args: readonly (string | number)[]) => Promise<unknown>

/** Runs Lua scripts on Redis. */
export type Scripts = ReturnType<typeof createScripts>

/**
 * Runs Lua scripts. `prefix` is prepended to every key. A circuit breaker (Nygard, "Release It!")
 * that probes by itself: after a late response no call waits until a ping was answered in time. The
 * client sends scripts again that the server has forgotten.
 */
export function createScripts(
  redis: Redis,
  { prefix, withinMs = 50 }: { prefix: string; withinMs?: number },
) {
  const commands = new Map<string, Command>()
  let late = 0
  let isOpen = false
  let isClosed = false
  let retrying: Timer | undefined

  function commandOf(script: string): Command {
    let command = commands.get(script)
    if (command === undefined) {
      const name = `script${commands.size}`
      redis.defineCommand(name, { numberOfKeys: 1, lua: script })
      const defined = redis as unknown as Record<string, Command>
      command = (...given) => (defined[name] as Command).apply(redis, given)
      commands.set(script, command)
    }
    return command
  }

  function trip(): void {
    isOpen = true
    if (!isClosed) retrying ??= setTimeout(retry, RETRY_MS).unref()
  }

  async function retry(): Promise<void> {
    retrying = undefined
    const answer = await withTimeout(withinMs, () => redis.ping(), LATE).catch(() => LATE)
    if (answer === LATE) trip()
    else isOpen = false
  }

  return {
    /** False: a call would fail immediately, because the server is unavailable or was too slow. */
    get available() {
      return !isOpen && isReady(redis)
    },
    /** How often a response was late. */
    get late() {
      return late
    },
    /** Runs a script on one key. Rejects when it fails, or after `withinMs`. */
    async run(script: string, key: string, args: readonly (string | number)[]): Promise<unknown> {
      const send = () => commandOf(script)(prefix + key, ...args)
      const answer = await withTimeout(withinMs, send, LATE)
      if (answer !== LATE) return answer
      late++
      trip()
      throw new Error('Redis answered too late')
    },
    close() {
      isClosed = true
      clearTimeout(retrying)
    },
  }
}
