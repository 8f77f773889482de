import type { Counts, Selection, Series } from './types.ts'

const DAY_MS = 86_400_000

/**
 * A series whose totals are a question of their own. They aren't asked for where no boundary cuts a
 * UTC day, in which visitors are counted: there the buckets add up to them. A click that comes
 * between the two questions is in both sums or in none.
 */
export async function withTotals(
  boundaries: readonly number[],
  counting: Promise<Counts[]>,
  askTotals: () => Promise<Counts>,
): Promise<Series> {
  const addsUp = boundaries.slice(1, -1).every((boundary) => boundary % DAY_MS === 0)
  const [buckets, all] = await Promise.all([counting, addsUp ? undefined : askTotals()])
  const totals: Counts = { clicks: 0, unique: 0, bots: 0 }
  for (const { clicks, unique, bots } of buckets) {
    totals.clicks += clicks
    totals.unique += unique
    totals.bots += bots
  }
  if (all !== undefined) totals.unique = Math.min(all.unique, totals.clicks)
  return { totals, buckets }
}

/** The part of a selection that lies between the first boundary and the last. */
export function between(selection: Selection, boundaries: readonly number[]): Selection {
  return {
    ...selection,
    from: Math.max(selection.from, boundaries[0] ?? selection.from),
    to: Math.min(selection.to, boundaries.at(-1) ?? selection.to),
  }
}
