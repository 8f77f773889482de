import type { Storage } from '../storage/index.ts'
import { touchKey } from './store.ts'

/** A key's `last_used_at` is at most so much behind, so that requests don't each cause a write. */
const GRANULARITY_MS = 60_000
/** How long uses are gathered before they are written together. */
const GATHER_MS = 5_000
/** So many are written in one turn of the event loop, for less than a millisecond. */
const WRITTEN_TOGETHER = 100

/** Writes back when keys were used, off the requests' path. */
export interface LastUsed {
  /** Takes note of a use now, of a key whose row says when it was used before. Never throws. */
  note(keyId: string, lastUsedAt: number | null, now: number): void
  /** Writes what was noted; a failure is forgotten, for the next use notes it again. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** See {@link LastUsed}. */
export function createLastUsed(storage: Storage): LastUsed {
  let noted = new Map<string, number>()
  let writing: Promise<void> | undefined
  /** Keys whose rows don't show yet what is being written. */
  let inWriting = new Map<string, number>()
  let timer: Timer | undefined
  let closed = false

  async function write(uses: Map<string, number>): Promise<void> {
    // In an order that all nodes share, so that none waits for another in a circle.
    const all = [...uses].sort(([a], [b]) => (a < b ? -1 : 1))
    try {
      for (let i = 0; i < all.length; i += WRITTEN_TOGETHER) {
        if (i > 0) await new Promise((turn) => setImmediate(turn))
        const some = all.slice(i, i + WRITTEN_TOGETHER)
        await storage.write(
          async (tx) => {
            for (const [id, at] of some) await touchKey(tx, id, at)
          },
          { survives: 'process' },
        )
      }
    } catch {
      // The storage tells of its trouble elsewhere; no request may fail for this.
    }
  }

  async function flush(): Promise<void> {
    while (writing !== undefined) await writing
    clearTimeout(timer)
    timer = undefined
    if (noted.size === 0) return
    inWriting = noted
    noted = new Map()
    writing = write(inWriting).finally(() => {
      inWriting = new Map()
      writing = undefined
    })
    await writing
  }

  return {
    note(keyId, lastUsedAt, now) {
      if (lastUsedAt !== null && now - lastUsedAt < GRANULARITY_MS) return
      if (closed || noted.has(keyId) || inWriting.has(keyId)) return
      noted.set(keyId, now)
      if (timer !== undefined) return
      timer = setTimeout(flush, GATHER_MS)
      timer.unref()
    },
    flush,
    async close() {
      closed = true
      await flush()
    },
  }
}
