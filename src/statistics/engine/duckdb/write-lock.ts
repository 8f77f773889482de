import { streamOf } from '../../../lib/base/streams.ts'
import { createWorkQueue } from '../../../platform/limits/index.ts'

/** How often the one who asked for the lock gets a line, so that a reader that has gone is noticed. */
const HEARTBEAT_MS = 500

/** Lets another process copy the file while nothing writes to it. Created unlocked. */
export function createWriteLock() {
  /** Runs work that writes, one after another. */
  const { run: writing } = createWorkQueue(1)
  const encoder = new TextEncoder()
  return {
    writing,
    /**
     * Nothing is written from the line `locked` on until the stream's reader cancels or dies. The
     * lines before it say `waiting`: closing a month may take longer than a client waits in silence.
     */
    lock: () =>
      streamOf(async function* (leaving) {
        const released = Promise.withResolvers<void>()
        leaving.addEventListener('abort', () => released.resolve())
        const locked = Promise.withResolvers<void>()
        let state = 'waiting'
        void writing(async () => {
          state = 'locked'
          locked.resolve()
          await released.promise
        })
        for (let changed: Promise<void> = Promise.resolve(); !leaving.aborted; ) {
          await Promise.race([changed, Bun.sleep(HEARTBEAT_MS)])
          yield encoder.encode(`${state}\n`)
          changed = state === 'locked' ? released.promise : locked.promise
        }
        return undefined
      }),
  }
}
