import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { deadline, TooLate, within } from './deadline.ts'
import { isReady } from './redis.ts'

/** Runs Lua scripts on Redis. Times are milliseconds. */
export interface Scripts {
  /** False: a call would fail immediately, because the server is away or was too slow just now. */
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
  /** Prefix of every key. */
  prefix: string
  withinMs?: number
  /** How often a server that was too slow is tried. */
  retryMs?: number
}

/**
 * A circuit breaker (Nygard, "Release It!") that probes by itself: after an answer that came too
 * late no call waits until a ping has been answered in time.
 */
export function createScripts(redis: Redis, options: ScriptsOptions): Scripts {
  return new ScriptRunner(redis, options)
}

class ScriptRunner implements Scripts {
  readonly #redis: Redis
  readonly #prefix: string
  readonly #withinMs: number
  readonly #retryMs: number
  readonly #digests = new Map<string, string>()
  #queue: Call[] = []
  #isOpen = false
  #retrying: Timer | undefined
  #isClosed = false
  late = 0

  constructor(redis: Redis, { prefix, withinMs = 50, retryMs = 100 }: ScriptsOptions) {
    this.#redis = redis
    this.#prefix = prefix
    this.#withinMs = withinMs
    this.#retryMs = retryMs
  }

  get available(): boolean {
    return !this.#isOpen && isReady(this.#redis)
  }

  run(script: string, key: string, args: readonly (string | number)[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const length = this.#queue.push({ script, key, args, resolve, reject })
      if (length === 1) setImmediate(() => this.#flush())
    })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retrying)
  }

  #flush(): void {
    const calls = this.#queue
    this.#queue = []
    const rejectAll = (error: unknown) => {
      for (const { reject } of calls) reject(error)
    }
    const cancel = deadline(this.#withinMs, () => {
      this.late++
      this.#trip()
      rejectAll(new TooLate('Redis is slow'))
    })
    this.#send(calls).catch(rejectAll).finally(cancel)
  }

  async #send(calls: readonly Call[]): Promise<void> {
    const unknown = await this.#attempt(calls)
    if (unknown.length === 0) return
    // The server was restarted, or its scripts were flushed.
    for (const script of new Set(unknown.map((call) => call.script))) {
      await this.#redis.script('LOAD', script)
    }
    for (const { reject } of await this.#attempt(unknown))
      reject(new Error('The script is not kept'))
  }

  /** Settles the calls except those whose script the server doesn't know: they haven't run. */
  async #attempt(calls: readonly Call[]): Promise<Call[]> {
    const pipeline = this.#redis.pipeline()
    for (const { script, key, args } of calls) {
      pipeline.evalsha(this.#digestOf(script), 1, this.#prefix + key, ...args)
    }
    const answers = (await pipeline.exec()) ?? []
    return calls.filter(({ resolve, reject }, i) => {
      const [error, answer] = answers[i] ?? [new Error('No answer')]
      if (error === null) resolve(answer)
      else if (error.message.startsWith('NOSCRIPT')) return true
      else reject(error)
      return false
    })
  }

  #digestOf(script: string): string {
    const known = this.#digests.get(script)
    if (known !== undefined) return known
    const digest = createHash('sha1').update(script).digest('hex')
    this.#digests.set(script, digest)
    return digest
  }

  #trip(): void {
    this.#isOpen = true
    if (this.#isClosed) return
    this.#retrying ??= setTimeout(() => this.#retry(), this.#retryMs).unref()
  }

  async #retry(): Promise<void> {
    this.#retrying = undefined
    try {
      await within(this.#redis.ping(), this.#withinMs)
      this.#isOpen = false
    } catch {
      this.#trip()
    }
  }
}
