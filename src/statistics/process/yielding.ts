import { createPriority, type Priority } from './priority.ts'

/**
 * Work that nobody waits for, exports and putting in order, leaves the processors to visits from this
 * time on, the thread that answers included; without it, only the threads that run queries do.
 */
const BULK_MS = 500
/** A question, or the clicks of a pass, that wait longer get their share, and whatever comes soon after. */
const PATIENCE_MS = { question: 1_000, clicks: 2_000 }
const SHARE_MS = 5_000
const LOOK_EVERY_MS = 250

/** What goes on in this process. */
export interface GoingOn {
  /** `now`: work that nobody waits for; `due`: more of it is to come. */
  bulk: 'now' | 'due' | 'none'
  /** Since when the oldest question and the oldest clicks wait, by `performance.now()`; null: none do. */
  since: Record<keyof typeof PATIENCE_MS, number | null>
}

/** Lowers the priority of this process: visits come first, as long as nobody waits long for it. */
export function keepYielding(niceness: number): {
  /** From now on; called again it changes nothing. */
  watch(look: () => GoingOn): void
  /** Somebody waits for this process to end. */
  hurry(): void
  stop(): void
} {
  let priority: Priority | undefined
  let hurried = false
  let timer: Timer | undefined
  let bulkForMs = 0
  let sharesUntil = Number.NEGATIVE_INFINITY
  return {
    watch(look) {
      if (priority !== undefined || hurried) return
      const its = createPriority(niceness)
      priority = its
      timer = setInterval(() => {
        const { bulk, since } = look()
        if (bulk === 'now') bulkForMs += LOOK_EVERY_MS
        else if (bulk === 'none') bulkForMs = 0
        const now = performance.now()
        const waits = (what: keyof typeof PATIENCE_MS) =>
          now - (since[what] ?? now) > PATIENCE_MS[what]
        if (waits('question') || waits('clicks')) sharesUntil = now + SHARE_MS
        const yielding = bulkForMs > BULK_MS ? 'all' : 'helpers'
        its.yield(now < sharesUntil ? 'none' : yielding)
      }, LOOK_EVERY_MS)
    },
    hurry() {
      hurried = true
      clearInterval(timer)
      priority?.yield('none')
    },
    stop() {
      clearInterval(timer)
    },
  }
}
