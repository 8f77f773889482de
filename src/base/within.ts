/**
 * The result of `work`, or `late` when that takes longer than `ms` milliseconds; it goes on then. What
 * this process held up itself isn't late: answers that have arrived by then are read first.
 */
export async function within<T, L>(
  ms: number,
  work: () => Promise<T> | T,
  late: L,
): Promise<T | L> {
  const timer = Promise.withResolvers<L>()
  const expire = () => timer.resolve(late)
  const timeout = setTimeout(() => setImmediate(() => setImmediate(expire)), ms)
  try {
    return await Promise.race([work(), timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
