/** The result of `work`, or `late` when that takes longer than `ms` milliseconds; it goes on then. */
export async function within<T, L>(
  ms: number,
  work: () => Promise<T> | T,
  late: L,
): Promise<T | L> {
  const timer = Promise.withResolvers<L>()
  const timeout = setTimeout(() => timer.resolve(late), ms)
  try {
    return await Promise.race([work(), timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
