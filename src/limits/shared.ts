import { createHmac } from 'node:crypto'
import { GCRA } from './gcra.ts'
import { type Cost, createMemoryLimiter, type Decision, limiterOf, type Policy } from './memory.ts'

/** Runs scripts where all nodes meet. */
interface SharedScripts {
  /** False: it would fail now. */
  readonly available: boolean
  /** Runs a script on one key. Rejects soon when it can't. */
  run(script: string, key: string, args: readonly (string | number)[]): Promise<unknown>
}

interface SharedLimiterOptions {
  /** Tells its keys from another limiter's. */
  name: string
  scripts: SharedScripts
  /** How many nodes there are, as far as this one knows. */
  nodes: () => number
  /** Given: callers are told apart by keyed hashes, as addresses must be that leave this machine. */
  secret?: Uint8Array | undefined
}

/** So many callers' debts are remembered, the latest. */
const DEBTS_MOST = 50_000

/**
 * Counts the requests of all nodes together, on one server's clock. While that can't be asked, each
 * node lets its share of the rate through, going on from what was used up together; what it let
 * through is counted together afterwards. There is no moment without a limit, and none with two.
 */
export function createSharedLimiter({ name, scripts, nodes, secret }: SharedLimiterOptions) {
  const local = createMemoryLimiter()
  /** What was let through alone, and isn't counted together yet. */
  const debts = new Map<string, number>()
  let alone = 0

  function keyOf(key: string): string {
    const caller =
      secret === undefined
        ? key
        : createHmac('sha256', secret).update(`${name}\n${key}`).digest('base64url').slice(0, 22)
    // In a cluster all keys of one caller lie in one slot.
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
    alone++
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
    // Where this node would go on alone.
    const used = decision.state.used / Math.max(1, nodes())
    local.put(key, shareOf(policy), { at: now, used })
    return decision
  }

  return {
    ...limiterOf((...request: Parameters<typeof decideAlone>) =>
      scripts.available ? decideTogether(...request) : decideAlone(...request),
    ),
    /** How often it had to decide alone. */
    get alone() {
      return alone
    },
  }
}

/** A limiter of several nodes. */
export type SharedLimiter = ReturnType<typeof createSharedLimiter>

/** What the script answered. */
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
