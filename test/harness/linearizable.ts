/** An operation on one object, with the times around it, of any one clock. */
export interface Operation {
  invoked: number
  /** Infinity: unknown. It may have had its effect at any time since, or will, or never. */
  returned: number
}

/** What one object does with operations, one after the other. */
export interface Model<S, O> {
  initial: S
  /** The state after an operation with its outcome; undefined: it can't have that outcome here. */
  step(state: S, operation: O): S | undefined
  /** The same for equal states, and only for those. */
  nameOf(state: S): string
}

/**
 * Whether operations that overlapped have an order in which each one fits its outcome, and in which
 * one that had returned stands before one that was invoked later: linearizability (Herlihy and Wing,
 * 1990), by the search of Wing and Gong (1993) with Lowe's memory of what was tried (2017).
 */
export function isLinearizable<S, O extends Operation>(
  operations: readonly O[],
  { initial, step, nameOf }: Model<S, O>,
): boolean {
  const known = operations
    .filter(({ returned }) => returned < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.invoked - b.invoked)
  const unknown = operations
    .filter(({ returned }) => returned === Number.POSITIVE_INFINITY)
    .sort((a, b) => a.invoked - b.invoked)
  const tried = new Set<string>()
  const done = new Set<O>()

  /** Operations that may be next: invoked before any other one returned. */
  function candidates(first: number): O[] {
    const found: O[] = []
    let until = Number.POSITIVE_INFINITY
    for (const operation of known.slice(first)) {
      if (operation.invoked > until) break
      if (done.has(operation)) continue
      found.push(operation)
      until = Math.min(until, operation.returned)
    }
    const isBefore = ({ invoked }: O) => invoked <= until
    return [...found.filter(isBefore), ...unknown.filter((one) => isBefore(one) && !done.has(one))]
  }

  function search(state: S, from: number): boolean {
    let first = from
    while (first < known.length && done.has(known[first] as O)) first++
    if (first === known.length) return true
    const doneIn = (list: readonly O[]) => list.map((one) => Number(done.has(one))).join('')
    const last = known.findLastIndex((one) => done.has(one))
    const name = `${first} ${doneIn(known.slice(first, last + 1))} ${doneIn(unknown)} ${nameOf(state)}`
    if (tried.has(name)) return false
    tried.add(name)
    const possible = candidates(first).flatMap((operation) => {
      const next = step(state, operation)
      return next === undefined ? [] : [{ operation, next }]
    })
    // What changes nothing and fits can come first: nothing fits less afterwards.
    const reads = possible.filter(({ next }) => nameOf(next) === nameOf(state))
    for (const { operation, next } of reads.length > 0 ? reads.slice(0, 1) : possible) {
      done.add(operation)
      if (search(next, first)) return true
      done.delete(operation)
    }
    return false
  }
  return search(initial, 0)
}
