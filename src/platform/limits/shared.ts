import { createHmac } from 'node:crypto'
import { GCRA } from './gcra.ts'
import { type Cost, createMemoryLimiter, type Decision, limiterOf, type Policy } from './memory.ts'

/** Runs Lua scripts on the server that all nodes share. */
interface SharedScripts {
  /** False: a call would fail now. */
  readonly available: boolean
  /** Runs a script on one key. Rejects quickly when it can't. */
  run(script: string, key: string, args: readonly (string | number)[]): Promise<unknown>
}

interface SharedLimiterOptions {
  /** Separates its keys from those of other limiters. */
  name: string
  scripts: SharedScripts
  /** How many nodes there are, as far as this one knows. */
  nodes: () => number
  /** If set, callers are identified by keyed hashes: raw addresses must not leave this machine. */
  secret?: Uint8Array | undefined
}

/** The most callers whose uncounted requests are remembered. */
const DEBTS_MOST = 50_000

/**
 * Limits the requests of all nodes together, by one server's clock. While that can't be reached,
 * each node allows its share of the rate, starting from the last common state, and reports the
 * requests afterwards. So there is always exactly one limit.
 */
export function createSharedLimiter({ name, scripts, nodes, secret }: SharedLimiterOptions) {
  const local = createMemoryLimiter()
  /** Requests that this node allowed on its own and has yet to report. */
  const debts = new Map<string, number>()
  let localFallbackCount = 0

  function keyOf(key: string): string {
    const caller =
      secret === undefined
        ? key
        : createHmac('sha256', secret).update(`${name}\n${key}`).digest('base64url').slice(0, 22)
    // In a Redis cluster the braces put all keys of a caller into one slot.
    return `limit:${name}:{${caller}}`
  }

  function shareOf({ ratePerMinute, burst }: Policy): Policy {
    const count = Math.max(1, nodes())
    return { ratePerMinute: ratePerMinute / count, burst: Math.max(1, burst / count) }
  }

  function owe(key: string, requests: number): void {
    if (requests === 0) return
    const sum = (debts.get(key) ?? 0) + requests
    debts.delete(key)
    if (sum === 0) return
    if (debts.size >= DEBTS_MOST) debts.delete(debts.keys().next().value as string)
    debts.set(key, sum)
  }

  function decideAlone(key: string, policy: Policy, now: number, cost: Cost): Decision {
    localFallbackCount++
    const decision = local.apply(key, shareOf(policy), now, cost)
    if (decision.allowed) owe(key, cost)
    return decision
  }

  async function decideTogether(key: string, policy: Policy, now: number, cost: Cost) {
    const { ratePerMinute, burst } = policy
    const debt = debts.get(key) ?? 0
    debts.delete(key)
    let decision: Decision
    try {
      const args = [ratePerMinute, burst, cost, debt]
      decision = decisionOf(await scripts.run(GCRA, keyOf(key), args))
    } catch {
      owe(key, debt)
      return decideAlone(key, policy, now, cost)
    }
    // The state that this node would continue from on its own.
    const used = decision.state.used / Math.max(1, nodes())
    local.put(key, shareOf(policy), { at: now, used })
    return decision
  }

  return {
    ...limiterOf((...request: Parameters<typeof decideAlone>) =>
      scripts.available ? decideTogether(...request) : decideAlone(...request),
    ),
    /** How often it had to decide on its own. */
    get localFallbackCount() {
      return localFallbackCount
    },
  }
}

/** A limiter shared by several nodes. */
export type SharedLimiter = ReturnType<typeof createSharedLimiter>

/** Reads the script's answer. */
export function decisionOf(answer: unknown): Decision {
  const [allowed, remaining, retryAfterMs, fullAfterMs, at, used] = answer as unknown[]
  return {
    allowed: allowed === 1,
    remaining: Number(remaining),
    retryAfterMs: Number(retryAfterMs),
    fullAfterMs: Number(fullAfterMs),
    state: { at: Number(at), used: Number(used) },
  }
}
