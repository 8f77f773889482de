/** Rejects when the signal aborts, whatever becomes of the promise. */
export async function unlessAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return await promise
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Runs work once for all who want the same while it runs. It is aborted when all of them have left. */
export function createSharing() {
  const running = new Map<
    string,
    { result: Promise<unknown>; left: AbortController; wanted: number }
  >()
  return async function share<T>(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    signal?.throwIfAborted()
    let shared = running.get(key)
    if (shared === undefined) {
      const left = new AbortController()
      shared = { result: work(left.signal), left, wanted: 0 }
      const own = shared
      running.set(key, own)
      // Who comes later asks again: there may be newer clicks. Those who wait get an error.
      const ended = () => void (running.get(key) === own && running.delete(key))
      own.result.then(ended, ended)
    }
    shared.wanted++
    try {
      return (await unlessAborted(shared.result, signal)) as T
    } finally {
      if (--shared.wanted === 0) {
        if (running.get(key) === shared) running.delete(key)
        shared.left.abort()
      }
    }
  }
}
