import type { Slugline } from './process.ts'

interface Write {
  id: string
  node: number
  status: number | 'none'
  tookMs: number
  retryAfter: string | null
}

/** Links created at every node, one after another, each with its own idempotency key. */
export interface Writes {
  ids(): string[]
  made(): string[]
  notMade(): string[]
  /** Resolves when each of `nodes` nodes has created a link requested after this call. */
  eachHasMade(nodes: number): Promise<void>
  stop(): Promise<void>
  /** Retries failed requests with the same key, until they succeed. */
  withRetry(): Promise<void>
  summary(): {
    writes: number
    made: number
    refused: number
    unanswered: number
    otherAnswers: string[]
    slowestWriteMs: number
  }
}

interface WritesOptions {
  nodes: readonly Slugline[]
  key: string
  /** The prefix of each link's `external_id`. */
  name: string
  isUp: (node: number) => boolean
}

const PAUSE_MS = 20
/** The pause after a refusal. */
const REFUSED_PAUSE_MS = 100
const WITHIN_MS = 30_000
const INSISTING = 8

/** Starts creating links. */
export function startWrites({ nodes, key, name, isUp }: WritesOptions): Writes {
  const all: Write[] = []
  let stopped = false
  let waiting: { after: Map<number, number>; done: () => void } | undefined

  async function send(id: string, node: number): Promise<Write> {
    const start = performance.now()
    const write: Write = { id, node, status: 'none', tookMs: 0, retryAfter: null }
    try {
      const answer = await fetch(`${nodes[node]?.url}/api/v1/links`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': id,
        },
        body: JSON.stringify({ destination_url: `https://example.com/${id}`, external_id: id }),
        signal: AbortSignal.timeout(WITHIN_MS),
      })
      await answer.text()
      write.status = answer.status
      write.retryAfter = answer.headers.get('retry-after')
    } catch {
      // Interrupted: the result is unknown.
    }
    write.tookMs = performance.now() - start
    return write
  }

  async function writeAt(node: number): Promise<void> {
    for (let n = 0; !stopped; n++) {
      if (isUp(node)) {
        const begun = performance.now()
        const write = await send(`${name}-${node}-${n}`, node)
        all.push(write)
        if (write.status === 201 && waiting !== undefined) {
          const since = waiting.after.get(node)
          if (since !== undefined && begun >= since) waiting.after.delete(node)
          if (waiting.after.size === 0) waiting.done()
        }
      }
      await Bun.sleep(all.at(-1)?.status === 201 ? PAUSE_MS : REFUSED_PAUSE_MS)
    }
  }
  const running = nodes.map((_, node) => writeAt(node))
  const isMade = ({ status }: Write) => status === 201
  const idsOf = (of: readonly Write[]) => of.map(({ id }) => id)

  return {
    ids: () => idsOf(all),
    made: () => idsOf(all.filter(isMade)),
    notMade: () => idsOf(all.filter((write) => !isMade(write))),
    eachHasMade(count) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const now = performance.now()
      waiting = {
        after: new Map(Array.from({ length: count }, (_, i) => [i, now])),
        done: resolve,
      }
      return promise
    },
    async stop() {
      stopped = true
      await Promise.all(running)
    },
    async withRetry() {
      const left = all.filter((write) => !isMade(write))
      const some = async () => {
        for (let write = left.pop(); write !== undefined; write = left.pop()) {
          // On any node, starting with another one than before.
          for (let at = write.node + 1; ; at++) {
            const { status } = await send(write.id, at % nodes.length)
            if (status === 201) break
            if (status !== 503 && status !== 409) throw new Error(`Tried again: ${status}`)
            await Bun.sleep(PAUSE_MS)
          }
        }
      }
      await Promise.all(Array.from({ length: INSISTING }, some))
    },
    summary() {
      const refused = all.filter(({ status, retryAfter }) => status === 503 && retryAfter !== null)
      const unanswered = all.filter(({ status }) => status === 'none')
      const others = all.filter(
        (write) => !isMade(write) && !refused.includes(write) && !unanswered.includes(write),
      )
      return {
        writes: all.length,
        made: all.filter(isMade).length,
        refused: refused.length,
        unanswered: unanswered.length,
        otherAnswers: others.map(({ status, retryAfter }) => `${status} ${retryAfter}`),
        slowestWriteMs: Math.max(0, ...all.map(({ tookMs }) => tookMs)),
      }
    },
  }
}

/** Requests with a rate-limited key, sent to all nodes. */
export interface LimitedCalls {
  readonly offered: number
  readonly admitted: number
  /** Returns how many may have been allowed. */
  stop(): Promise<number>
}

interface LimitedOptions {
  nodes: readonly Slugline[]
  key: string
  perMinute: number
  burst: number
  isUp: (node: number) => boolean
}

/** Starts sending them: at each node one after another, `pauseMs` between two. */
export function startLimitedCalls(options: LimitedOptions, pauseMs = 10): LimitedCalls {
  const { nodes, key, perMinute, burst, isUp } = options
  const begin = performance.now()
  let stopped = false
  let offered = 0
  let admitted = 0
  const running = nodes.map(async ({ url }, i) => {
    while (!stopped) {
      if (isUp(i)) {
        offered++
        const answer = await fetch(`${url}/api/v1/links?limit=1`, {
          headers: { authorization: `Bearer ${key}` },
          signal: AbortSignal.timeout(WITHIN_MS),
        }).catch(() => null)
        await answer?.text()
        if (answer?.status === 200) admitted++
      }
      await Bun.sleep(pauseMs)
    }
  })
  return {
    get offered() {
      return offered
    },
    get admitted() {
      return admitted
    },
    async stop() {
      stopped = true
      await Promise.all(running)
      return burst + (perMinute * (performance.now() - begin)) / 60_000
    },
  }
}
