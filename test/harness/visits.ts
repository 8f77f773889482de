import { FATE } from './marked-clicks.ts'

/** Numbered visits at a steady rate, spread over nodes. */
export interface Visits {
  /** One of {@link FATE} for each number; `unknown`: interrupted, or in flight. */
  readonly fates: Uint8Array
  /** How many were sent so far: the numbers are below that. */
  readonly sent: number
  readonly answered: number
  /** Responses that were not the redirect, by status; `error` for broken connections. */
  readonly refused: ReadonlyMap<string, number>
  /** The duration of each, in milliseconds; NaN: no response. */
  readonly tookMs: Float32Array
  /** Stops sending, and waits for pending responses. */
  stop(): Promise<void>
}

/** Options of visits. */
export interface VisitsOptions {
  /** The targets; empty: none for now. */
  targets: () => readonly string[]
  perSecond: number
  /** The most visits. */
  most: number
  path(mark: number): string
  /** The timeout. */
  withinMs?: number
}

const EVERY_MS = 10
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36'

/** Starts to send. */
export function startVisits(options: VisitsOptions): Visits {
  const { targets, perSecond, most, path, withinMs = 5_000 } = options
  const fates = new Uint8Array(most)
  const tookMs = new Float32Array(most).fill(Number.NaN)
  const refused = new Map<string, number>()
  const pending = new Set<Promise<void>>()
  let sent = 0
  let answered = 0

  async function visit(mark: number, target: string): Promise<void> {
    const start = performance.now()
    fates[mark] = FATE.unknown
    let outcome: string
    try {
      const answer = await fetch(target + path(mark), {
        redirect: 'manual',
        headers: { 'user-agent': BROWSER },
        signal: AbortSignal.timeout(withinMs),
      })
      outcome = String(answer.status)
    } catch {
      outcome = 'error'
    }
    if (outcome === '302') {
      fates[mark] = FATE.answered
      tookMs[mark] = performance.now() - start
      answered++
    } else {
      refused.set(outcome, (refused.get(outcome) ?? 0) + 1)
    }
  }

  const begin = performance.now()
  let due = 0
  const timer = setInterval(() => {
    const all = targets()
    const until = ((performance.now() - begin) / 1_000) * perSecond
    for (; due < until; due++) {
      if (all.length === 0 || sent === most) continue
      const mark = sent++
      const work = visit(mark, all[mark % all.length] as string)
      pending.add(work)
      void work.finally(() => pending.delete(work))
    }
  }, EVERY_MS)

  return {
    fates,
    tookMs,
    refused,
    get sent() {
      return sent
    },
    get answered() {
      return answered
    },
    async stop() {
      clearInterval(timer)
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
