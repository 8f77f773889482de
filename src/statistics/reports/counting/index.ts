import type { Selection } from '../../types.ts'
import { createBuckets } from '../buckets.ts'
import type { Asking } from '../lane.ts'
import { purgedClicks } from '../purged.ts'
import { canList, findRolled, outside, type Rolled } from '../rolled.ts'
import { canAddUp } from '../rolled-series.ts'
import { fitting } from '../source.ts'
import { type Sql, sql } from '../sql.ts'
import { type Facts, type List, type Listing, listAnswer, seriesAnswer } from './answers.ts'
import { readClicks } from './read.ts'
import type { SeriesSums } from './series.ts'
import { createValues } from './values.ts'

export type { List, Listing } from './answers.ts'

/** What is asked about a link's clicks: numbers between boundaries, or the values of a dimension. */
export type Wish = { boundaries: readonly number[] } | Listing

/** Its answer. */
export type Answer<W extends Wish> = W extends Listing ? List : SeriesSums

/** So many lists are made of the same clicks: their values take 4 MB each for a million clicks. */
const LISTS_AT_ONCE = 4

/**
 * Answers questions about the clicks of a link in their order; the clicks are read once for several of
 * them. Null: there are too many to be counted one by one. A series' last boundary is the selection's end.
 */
export async function* countClicks(
  asking: Asking,
  selection: Selection,
  wishes: readonly Wish[],
  atMost: number,
): AsyncGenerator<Answer<Wish> | null, void, undefined> {
  const purged = purgedClicks(selection, null)
  const old = purged === null ? [] : await asking.rows(purged)
  // With filters, the clicks of a link are read as quickly as what is rolled up of them by hours.
  const rolled = selection.filters.length > 0 ? null : await findRolled(asking, selection)
  // What is rolled up, and so which clicks are read, differs from question to question.
  const at = rolled === null ? LISTS_AT_ONCE : 1
  for (let first = 0; first < wishes.length; first += at) {
    const some = wishes.slice(first, first + at)
    const own = rolled === null ? null : usableFor(rolled, selection, some[0] as Wish)
    const facts: Facts = { asking, selection, rolled: own, old, atMost }
    const together = await countTogether(facts, some)
    if (together !== null) yield* together
    else if (some.length === 1) yield null
    // It may be too much for one of them alone.
    else for (const wish of some) yield (await countTogether(facts, [wish]))?.[0] ?? null
  }
}

/** The part of it that can answer a question. */
function usableFor(rolled: Rolled, selection: Selection, wish: Wish): Rolled | null {
  const usable =
    'boundaries' in wish
      ? canAddUp(selection, createBuckets(wish.boundaries))
      : canList(wish.dimension, selection, wish.limit)
  const blocks = rolled.blocks.filter(usable)
  return blocks.length === 0 ? null : { ...rolled, blocks }
}

/** Null: there is too much to be read for them. */
async function countTogether(
  facts: Facts,
  wishes: readonly Wish[],
): Promise<(Answer<Wish> | null)[] | null> {
  const { asking, selection, rolled, atMost } = facts
  const lists = wishes.flatMap((wish) => ('boundaries' in wish ? [] : [wish]))
  const values = lists.map(({ dimension }) => createValues(dimension, selection))
  const clicks = await readClicks(asking, single(selection, rolled), values, atMost)
  if (clicks === null) return null
  const answers: (Answer<Wish> | null)[] = []
  let list = 0
  for (const wish of wishes) {
    if ('boundaries' in wish) answers.push(await seriesAnswer(facts, clicks, wish.boundaries))
    else {
      const own = values[list] as (typeof values)[0]
      answers.push(await listAnswer(facts, wish, clicks, own, clicks.values[list] as Uint32Array))
      list++
    }
  }
  return answers
}

/** The clicks of a selection that aren't rolled up. */
function single(selection: Selection, rolled: Rolled | null): Sql {
  return rolled === null ? fitting(selection) : sql`${fitting(selection)} AND ${outside(rolled)}`
}
