/** Something took longer than it may. */
export class TooLate extends Error {
  override name = 'TooLate'
}

/**
 * Calls `late` after so many milliseconds, unless the returned function is called before. What this
 * process held up itself isn't late: the answers that have arrived by then are read first.
 */
export function deadline(ms: number, late: () => void): () => void {
  let immediate: ReturnType<typeof setImmediate> | undefined
  const timer = setTimeout(() => {
    immediate = setImmediate(() => {
      immediate = setImmediate(late)
    })
  }, ms)
  return () => {
    clearTimeout(timer)
    if (immediate !== undefined) clearImmediate(immediate)
  }
}

/** @throws TooLate */
export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const cancel = deadline(ms, () => reject(new TooLate(`Longer than ${ms} ms`)))
  try {
    return await Promise.race([work, promise])
  } finally {
    cancel()
  }
}
