import { CONSTANT } from '../../store/rollups.ts'
import type { Selection } from '../../types.ts'
import { createBuckets } from '../buckets.ts'
import { isDecided } from '../sql/source.ts'
import type { Wish } from './index.ts'

/** From so many clicks on a query is quicker than handing them over. */
export const QUERIED_FROM = 80_000
/** Links, and questions, that are remembered. */
const REMEMBERED_AT_MOST = 10_000
const DAY_MS = 86_400_000

/** How many clicks links have, and which questions they are too many for, as far as they were read lately. */
export interface HotLinks {
  /** Remembers what was read of a link. */
  tell(selection: Selection, clicks: number): void
  /** Remembers that there was too much to be read for a question. */
  tellInVain(selection: Selection, wish: Wish): void
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
  /** The shortest time (ms) of which too much was read, by question. */
  const inVain = new Map<string, number>()
  const perDay = ({ linkSeq }: Selection) => known.get(linkSeq ?? 0) ?? 0

  function has(selection: Selection): boolean {
    const days = lengthOf(selection) / DAY_MS
    return perDay(selection) * days >= queriedFrom
  }

  return {
    tell({ linkSeq, filters, from, to }, clicks) {
      if (linkSeq === null) return
      if (known.size >= REMEMBERED_AT_MOST) known.clear()
      const found = (clicks * DAY_MS) / (to - from)
      // At least as many as fit the filters.
      const before = filters.length > 0 ? (known.get(linkSeq) ?? 0) : 0
      known.set(linkSeq, Math.max(before, found))
    },
    tellInVain(selection, wish) {
      if (inVain.size >= REMEMBERED_AT_MOST) inVain.clear()
      const key = questionOf(selection, wish)
      inVain.set(key, Math.min(lengthOf(selection), inVain.get(key) ?? Number.POSITIVE_INFINITY))
    },
    perDay,
    has,
    isBetterQueried(selection, wish) {
      const tooLong = inVain.get(questionOf(selection, wish)) ?? Number.POSITIVE_INFINITY
      return lengthOf(selection) >= tooLong || (has(selection) && isOneQuery(selection, wish))
    },
  }
}

/** What is asked, whenever the clicks were. */
function questionOf({ linkSeq, filters }: Selection, wish: Wish): string {
  return JSON.stringify([linkSeq, filters, 'dimension' in wish ? wish.dimension : null])
}

function lengthOf({ from, to }: Selection): number {
  return to - from
}

/** Nobody has to be looked for in a second query. */
function isOneQuery(selection: Selection, wish: Wish): boolean {
  if ('boundaries' in wish) return createBuckets(wish.boundaries).wholeDays && isDecided(selection)
  const { dimension } = wish
  return CONSTANT.has(dimension) && isDecided(selection, { group: dimension })
}
