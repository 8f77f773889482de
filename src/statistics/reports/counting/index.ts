import type { Selection } from '../../types.ts'
import { createBuckets } from '../buckets.ts'
import type { Asking } from '../lane/index.ts'
import { canList, findRolled, outside, type Rolled } from '../rolled/index.ts'
import { canAddUp } from '../rolled/series.ts'
import { bigint, join, type Sql, sql } from '../sql/index.ts'
import { purgedClicks } from '../sql/purged.ts'
import { fitting } from '../sql/source.ts'
import { ofLinks } from '../sql/where.ts'
import { type Facts, type List, type Listing, listAnswer, seriesAnswer } from './answers.ts'
import type { HotLinks } from './hot.ts'
import { readClicks } from './read.ts'
import type { SeriesSums } from './series.ts'
import { createValues } from './values.ts'

export type { List, Listing } from './answers.ts'

/** What is asked about a link's clicks: numbers between boundaries, or the values of a dimension. */
export type Wish = { boundaries: readonly number[] } | Listing

/** Its answer. */
export type Answer<W extends Wish> = W extends Listing ? List : SeriesSums

/** So many lists are made of the same clicks: their values take 30 MB each for a million clicks. */
const LISTS_AT_ONCE = 4
const LISTS_OF_MANY = 1

/** Which clicks are counted one by one. */
export interface Limits {
  /** So many of them. */
  atMost: number
  hot: HotLinks
}

/**
 * Answers questions about the clicks of a link in their order; the clicks are read once for several of
 * them. Null: queries answer it more quickly, or there are too many. A series' last boundary is the selection's end.
 */
export async function* countClicks(
  asking: Asking,
  selection: Selection,
  wishes: readonly Wish[],
  { atMost, hot }: Limits,
): AsyncGenerator<Answer<Wish> | null, void, undefined> {
  const { old, rolled } = await findOthers(asking, selection)
  // What is rolled up, and so which clicks are read, differs from question to question.
  const ofMany = rolled !== null || hot.has(selection)
  const at = ofMany ? LISTS_OF_MANY : LISTS_AT_ONCE
  for (let first = 0; first < wishes.length; first += at) {
    const some = wishes.slice(first, first + at)
    const own = rolled === null ? null : usableFor(rolled, selection, some[0] as Wish)
    const facts: Facts = { asking, selection, rolled: own, old, atMost }
    const counted = own ? some : some.filter((wish) => !hot.isBetterQueried(selection, wish))
    const together = counted.length === 0 ? [] : await countTogether(facts, counted, hot)
    for (const wish of some) {
      const at = counted.indexOf(wish)
      if (at < 0 || (together === null && counted.length === 1)) yield null
      else if (together !== null) yield together[at] ?? null
      // It may be too much for one of them alone.
      else yield (await countTogether(facts, [wish], hot))?.[0] ?? null
    }
  }
}

/**
 * What there is of a link besides single clicks: purged ones, and roll-ups. Most links have neither,
 * which one query tells in a third of the time that the two take.
 */
async function findOthers(
  asking: Asking,
  selection: Selection,
): Promise<{ old: readonly unknown[][]; rolled: Rolled | null }> {
  const { filters, linkSeq } = selection
  const purged = purgedClicks(selection, null)
  const asked: Sql[] = []
  if (purged !== null) {
    asked.push(sql`(SELECT 'purged' FROM daily WHERE ${ofLinks(selection)} LIMIT 1)`)
  }
  // With filters, the clicks of a link are read as quickly as what is rolled up of them by hours.
  if (filters.length === 0 && linkSeq !== null) {
    asked.push(sql`(SELECT 'rolled' FROM rolled WHERE subject = ${bigint(linkSeq)} LIMIT 1)`)
  }
  const rows = asked.length === 0 ? [] : await asking.rows(join(asked, ' UNION ALL '))
  const found = rows.map(([what]) => what)
  return {
    old: purged !== null && found.includes('purged') ? await asking.rows(purged) : [],
    rolled: found.includes('rolled') ? await findRolled(asking, selection) : null,
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
  hot: HotLinks,
): Promise<(Answer<Wish> | null)[] | null> {
  const { asking, selection, rolled, atMost } = facts
  const lists = wishes.flatMap((wish) => ('boundaries' in wish ? [] : [wish]))
  const values = lists.map(({ dimension }) => createValues(dimension, selection))
  const clicks = await readClicks(asking, single(selection, rolled), values, atMost)
  if (clicks === null) {
    if (rolled === null && wishes.length === 1) hot.tellInVain(selection, wishes[0] as Wish)
    return null
  }
  if (rolled === null) hot.tell(selection, clicks.count)
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
