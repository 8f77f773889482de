/** Something took longer than it may. */
export class TooLate extends Error {
  override name = 'TooLate'
}

/**
 * Waits for `work`, so many milliseconds at most. What this process held up itself isn't late: the
 * answers that have arrived by then are read first.
 * @throws TooLate
 */
export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const late = () => reject(new TooLate(`Longer than ${ms} ms`))
  const timer = setTimeout(() => setImmediate(() => setImmediate(late)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
