/**
 * The result of `work`, or `late` if it takes longer than `ms` milliseconds; the work continues.
 * Time that this process itself was blocked doesn't count: results that have arrived are read
 * first.
 */
export async function withTimeout<T, L>(
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
