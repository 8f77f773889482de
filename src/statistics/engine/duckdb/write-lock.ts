/** How often the one who asked for the lock gets a line, so that a reader that has gone is noticed. */
const HEARTBEAT_MS = 500

/** Lets another process copy the file while nothing writes to it. Created unlocked. */
export function createWriteLock() {
  let last: Promise<unknown> = Promise.resolve()

  /** Runs work that writes, one after another. */
  function writing<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  return {
    writing,
    /**
     * Nothing is written from the line `locked` on until the stream's reader cancels or dies. The
     * lines before it say `waiting`: closing a month may take longer than a client waits in silence.
     */
    lock(): ReadableStream<Uint8Array> {
      const released = Promise.withResolvers<void>()
      const acquired = Promise.withResolvers<void>()
      let state = 'waiting'
      void writing(async () => {
        state = 'locked'
        acquired.resolve()
        await released.promise
      })
      let changed: Promise<void> = Promise.resolve()
      const encoder = new TextEncoder()
      return new ReadableStream({
        async pull(controller) {
          await Promise.race([changed, Bun.sleep(HEARTBEAT_MS)])
          controller.enqueue(encoder.encode(`${state}\n`))
          changed = state === 'locked' ? released.promise : acquired.promise
        },
        cancel: () => released.resolve(),
      })
    },
  }
}
