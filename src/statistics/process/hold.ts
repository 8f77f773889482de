/** So often whoever holds is told that it still does, so that one who has gone is noticed. */
const HEARTBEAT_MS = 500

/** Lets somebody copy the file: nothing writes to it meanwhile. */
export interface Hold {
  /** Runs what writes, when nobody holds and nothing else writes. */
  writing<T>(work: () => Promise<T>): Promise<T>
  /**
   * Nothing is written from the stream's first line until whoever reads it leaves, or dies: the
   * journal keeps the clicks for so long.
   */
  hold(): ReadableStream<Uint8Array>
}

/** Whoever writes or holds does so one after another. */
export function createHold(): Hold {
  let last: Promise<unknown> = Promise.resolve()

  function next<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  return {
    writing: next,
    hold() {
      const left = Promise.withResolvers<void>()
      const turn = Promise.withResolvers<void>()
      void next(async () => {
        turn.resolve()
        await left.promise
      })
      const line = new TextEncoder().encode('held\n')
      let told = false
      return new ReadableStream({
        async pull(controller) {
          await (told ? Promise.race([Bun.sleep(HEARTBEAT_MS), left.promise]) : turn.promise)
          told = true
          controller.enqueue(line)
        },
        cancel: () => left.resolve(),
      })
    },
  }
}
