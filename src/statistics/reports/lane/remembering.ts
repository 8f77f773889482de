import type { Asking } from './index.ts'

/** Asks nothing twice of one snapshot: what is rolled up is looked for wherever it may be of use. */
export function remembering(asking: Asking): Asking {
  const known = new Map<string, Promise<unknown[][]>>()
  return {
    ...asking,
    rows(query) {
      const key = JSON.stringify([query.text, ...query.values.map(({ value }) => String(value))])
      let rows = known.get(key)
      if (rows === undefined) {
        rows = asking.rows(query)
        known.set(key, rows)
      }
      return rows
    },
  }
}
