/** How often the holder of the lock gets a line, so that one that has gone is noticed. */
const HEARTBEAT_MS = 500

/** Lets another process copy the file while nothing writes to it. */
export interface WriteLock {
  /** Runs work that writes, one after another. */
  writing<T>(work: () => Promise<T>): Promise<T>
  /**
   * Nothing is written from the stream's first line on until its reader cancels or dies. The journal
   * keeps the clicks for so long.
   */
  lock(): ReadableStream<Uint8Array>
}

/** Created unlocked. */
export function createWriteLock(): WriteLock {
  let last: Promise<unknown> = Promise.resolve()

  function next<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  return {
    writing: next,
    lock() {
      const released = Promise.withResolvers<void>()
      const acquired = Promise.withResolvers<void>()
      void next(async () => {
        acquired.resolve()
        await released.promise
      })
      const line = new TextEncoder().encode('locked\n')
      let isTold = false
      return new ReadableStream({
        async pull(controller) {
          await (isTold
            ? Promise.race([Bun.sleep(HEARTBEAT_MS), released.promise])
            : acquired.promise)
          isTold = true
          controller.enqueue(line)
        },
        cancel: () => released.resolve(),
      })
    },
  }
}
