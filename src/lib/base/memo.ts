/**
 * Memoizes a pure function: at least the `remembered` most recently used keys, at most twice as
 * many. When full it drops the older half, so that a flood of new keys costs each key in
 * use one computation. A call costs at most two look-ups.
 */
export function createMemo<K, V extends NonNullable<unknown> | null>(
  remembered: number,
  compute: (key: K) => V,
): ((key: K) => V) & { clear(): void } {
  let young = new Map<K, V>()
  let old = new Map<K, V>()

  function memo(key: K): V {
    let value = young.get(key)
    if (value !== undefined) return value
    value = old.get(key)
    if (value === undefined) value = compute(key)
    if (young.size >= remembered) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    return value
  }

  return Object.assign(memo, {
    clear() {
      young = new Map()
      old = new Map()
    },
  })
}
