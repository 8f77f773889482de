import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { deadline, TooLate, within } from './deadline.ts'
import { isReady } from './redis.ts'

/** Runs scripts on Redis. Times are milliseconds. */
export interface Scripts {
  /** False: a call would fail at once, for the server is away or was too slow just now. */
  readonly available: boolean
  /**
   * Runs a script on one key. The calls of one turn of the event loop share a round trip.
   * Rejects when it fails, and after `withinMs` at the latest.
   */
  run(script: string, key: string, args: readonly (string | number)[]): Promise<unknown>
  /** How often an answer didn't come in time. */
  readonly late: number
  close(): void
}

interface Call {
  script: string
  key: string
  args: readonly (string | number)[]
  resolve: (answer: unknown) => void
  reject: (reason: unknown) => void
}

export interface ScriptsOptions {
  /** Stands before every key. */
  prefix: string
  withinMs?: number
  /** How often a server that was too slow is tried. */
  retryMs?: number
}

/**
 * A circuit breaker (Nygard, "Release It!") that only tries by itself: after an answer that came
 * too late no call waits until a ping has been answered in time.
 */
export function createScripts(redis: Redis, options: ScriptsOptions): Scripts {
  const { prefix, withinMs = 50, retryMs = 100 } = options
  const digests = new Map<string, string>()
  let queue: Call[] = []
  let isOpen = false
  let retrying: Timer | undefined
  let late = 0
  let closed = false

  function digestOf(script: string): string {
    let digest = digests.get(script)
    if (digest === undefined) {
      digest = createHash('sha1').update(script).digest('hex')
      digests.set(script, digest)
    }
    return digest
  }

  function flush(): void {
    const calls = queue
    queue = []
    const cancel = deadline(withinMs, () => {
      late++
      trip()
      for (const { reject } of calls) reject(new TooLate('Redis is slow'))
    })
    send(calls).then(
      () => cancel(),
      (error) => {
        cancel()
        for (const { reject } of calls) reject(error)
      },
    )
  }

  async function send(calls: readonly Call[]): Promise<void> {
    const unknown = await attempt(calls)
    if (unknown.length === 0) return
    // A server that was started anew, or whose scripts were flushed.
    for (const script of new Set(unknown.map((call) => call.script))) {
      await redis.script('LOAD', script)
    }
    for (const { reject } of await attempt(unknown)) reject(new Error('The script is not kept'))
  }

  /** Settles the calls but those whose script the server doesn't know: they haven't run. */
  async function attempt(calls: readonly Call[]): Promise<Call[]> {
    const pipeline = redis.pipeline()
    for (const { script, key, args } of calls) {
      pipeline.evalsha(digestOf(script), 1, prefix + key, ...args)
    }
    const answers = (await pipeline.exec()) ?? []
    const unknown: Call[] = []
    for (const [i, call] of calls.entries()) {
      const [error, answer] = answers[i] ?? [new Error('No answer')]
      if (error === null) call.resolve(answer)
      else if (error.message.startsWith('NOSCRIPT')) unknown.push(call)
      else call.reject(error)
    }
    return unknown
  }

  function trip(): void {
    isOpen = true
    if (retrying === undefined && !closed) retrying = setTimeout(retry, retryMs).unref()
  }

  async function retry(): Promise<void> {
    retrying = undefined
    try {
      await within(redis.ping(), withinMs)
      isOpen = false
    } catch {
      trip()
    }
  }

  return {
    get available() {
      return !isOpen && isReady(redis)
    },
    get late() {
      return late
    },
    run(script, key, args) {
      return new Promise((resolve, reject) => {
        if (queue.push({ script, key, args, resolve, reject }) === 1) setImmediate(flush)
      })
    },
    close() {
      closed = true
      clearTimeout(retrying)
    },
  }
}
