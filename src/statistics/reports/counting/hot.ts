import { CONSTANT } from '../../store/rollups.ts'
import type { Selection } from '../../types.ts'
import { createBuckets } from '../buckets.ts'
import { isDecided } from '../source.ts'
import type { Wish } from './index.ts'

/** From so many clicks on a query is quicker than handing them over. */
export const QUERIED_FROM = 80_000
/** Links that are remembered. */
const LINKS_AT_MOST = 10_000
const DAY_MS = 86_400_000

/** How many clicks links have, as far as they were read lately. */
export interface HotLinks {
  /** Remembers what was read of a link. */
  tell(selection: Selection, clicks: number): void
  /** Clicks of a link a day, those that don't fit the filters included; 0: nobody knows. */
  perDay(selection: Selection): number
  /** Whether a selection is of a link that has many of them in its time. */
  has(selection: Selection): boolean
  /** Whether a question about a link is better answered by queries. */
  isBetterQueried(selection: Selection, wish: Wish): boolean
}

/**
 * It only decides how a question is answered: all ways give the same answer.
 * @param queriedFrom clicks that are many
 */
export function createHotLinks(queriedFrom: number): HotLinks {
  const known = new Map<number, number>()
  const perDay = ({ linkSeq }: Selection) => known.get(linkSeq ?? 0) ?? 0

  function has(selection: Selection): boolean {
    const days = (selection.to - selection.from) / DAY_MS
    return perDay(selection) * days >= queriedFrom
  }

  return {
    tell({ linkSeq, filters, from, to }, clicks) {
      if (linkSeq === null) return
      if (known.size >= LINKS_AT_MOST) known.clear()
      const found = (clicks * DAY_MS) / (to - from)
      // At least as many as fit the filters.
      const before = filters.length > 0 ? (known.get(linkSeq) ?? 0) : 0
      known.set(linkSeq, Math.max(before, found))
    },
    perDay,
    has,
    isBetterQueried: (selection, wish) => has(selection) && isOneQuery(selection, wish),
  }
}

/** Nobody has to be looked for in a second query. */
function isOneQuery(selection: Selection, wish: Wish): boolean {
  if ('boundaries' in wish) return createBuckets(wish.boundaries).wholeDays && isDecided(selection)
  const { dimension } = wish
  return CONSTANT.has(dimension) && isDecided(selection, { group: dimension })
}
