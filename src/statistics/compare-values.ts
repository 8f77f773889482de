/** The order of a dimension's values that have as many clicks: numbers by size, texts by the bytes of their UTF-8; no value comes last. */
export function compareValues(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [one, other] = [String(a), String(b)]
  if (one === other) return 0
  // UTF-16 has the same order below its surrogates.
  if (HIGH.test(one) || HIGH.test(other))
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : 1
}

const HIGH = /[\ud800-\uffff]/
