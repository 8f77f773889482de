import type { Clock } from '../../lib/base/clock.ts'

/** How long a result is used: anyone may request it, as often as they like. */
const KEPT_MS = 2_000
/** The most results in memory. */
const KEPT_MAX = 500

/** Results by what was asked for, for a short time. Failures aren't kept. */
export function createResults({ clock }: { clock: Clock }) {
  const kept = new Map<string, { at: number; result: unknown }>()
  return async function resultOf<T>(question: unknown, ask: () => Promise<T>): Promise<T> {
    const name = JSON.stringify(question)
    const known = kept.get(name)
    const now = clock.now()
    if (known !== undefined && now - known.at < KEPT_MS) return known.result as T
    const result = await ask()
    kept.delete(name)
    kept.set(name, { at: now, result })
    if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value as string)
    return result
  }
}
