import { createPriority } from './priority.ts'

/**
 * What takes longer than this without anybody waiting for it, exports and putting in order, leaves the
 * processors to visits; unless a question, or the clicks of a pass, wait for longer than the other.
 */
const BULK_MS = 500
const PATIENCE_MS = 1_000
const LOOK_EVERY_MS = 250

/** What goes on in this process. */
export interface GoingOn {
  /** `now`: work that nobody waits for; `due`: more of it is to come. */
  bulk: 'now' | 'due' | 'none'
  /** Since when the one who has waited longest does, by `performance.now()`; null: nobody waits. */
  waitingSince: number | null
}

/** Lowers the priority of this process, and more so while it does what nobody waits for. */
export function keepYielding(): {
  /** Looks from now on. */
  watch(look: () => GoingOn): void
  /** Somebody waits for this process to end. */
  hurry(): void
  stop(): void
} {
  const priority = createPriority()
  let timer: Timer | undefined
  let bulkForMs = 0
  return {
    watch(look) {
      timer = setInterval(() => {
        const { bulk, waitingSince } = look()
        if (bulk === 'now') bulkForMs += LOOK_EVERY_MS
        else if (bulk === 'none') bulkForMs = 0
        const waitsMs = performance.now() - (waitingSince ?? Number.POSITIVE_INFINITY)
        priority.yield(bulkForMs > BULK_MS && waitsMs <= PATIENCE_MS)
      }, LOOK_EVERY_MS)
    },
    hurry() {
      clearInterval(timer)
      priority.yield(false)
    },
    stop() {
      clearInterval(timer)
    },
  }
}
