import { CONSTANT } from '../../store/rollups.ts'
import type { Counts, Dimension, Selection } from '../../types.ts'
import { createBuckets } from '../buckets.ts'
import type { Asking } from '../lane/index.ts'
import { type Rolled, rolledTop, within } from '../rolled/index.ts'
import { rolledRest } from '../rolled/rest.ts'
import { rolledSeries } from '../rolled/series.ts'
import { sql } from '../sql/index.ts'
import { momentOf, purgedClicks } from '../sql/purged.ts'
import { fitting } from '../sql/source.ts'
import { valueFrom } from '../sql/where.ts'
import { countsOf, type Sums } from '../totals.ts'
import { countValues, countVisitors, mostClicked } from './list.ts'
import { type Clicks, readClicks } from './read.ts'
import { countSeries, type SeriesSums } from './series.ts'
import type { Value, Values } from './values.ts'

/** The values of a dimension with the most clicks, and the others together. */
export interface List {
  values: (Counts & { value: Value })[]
  other: Counts
}

/** Asks for a {@link List}. */
export interface Listing {
  dimension: Dimension
  limit: number
}

/** What an answer is made of besides the clicks that were read. */
export interface Facts {
  asking: Asking
  selection: Selection
  /** Their days' clicks were not read. */
  rolled: Rolled | null
  /** Rows of `purgedClicks` without a group. */
  old: readonly unknown[][]
  /** Clicks to read at most. */
  atMost: number
}

/** Numbers between neighbouring boundaries. */
export async function seriesAnswer(
  { asking, selection, rolled, old }: Facts,
  clicks: Clicks,
  boundaries: readonly number[],
): Promise<SeriesSums> {
  const sums = countSeries(clicks, selection.bots, boundaries)
  if (rolled !== null) {
    const buckets = createBuckets(boundaries)
    const query = rolledSeries(rolled, selection.bots, buckets)
    for (const [unit, all, bots, unique, firsts] of await asking.rows(query)) {
      const bucket = sums.buckets[buckets.ofUnit[Number(unit)] ?? -1]
      if (bucket !== undefined) add(bucket, all, bots, unique)
      add(sums.totals, all, bots, firsts)
    }
  }
  for (const [day, , all, bots, unique] of old) {
    const moment = momentOf(Number(day))
    const after = boundaries.findIndex((boundary) => boundary > moment)
    const bucket = sums.buckets[after - 1]
    if (bucket !== undefined) add(bucket, all, bots, unique)
    add(sums.totals, all, bots, unique)
  }
  return sums
}

function add(sums: Sums, all: unknown, bots: unknown, unique: unknown): void {
  sums.all += Number(all)
  sums.bots += Number(bots)
  sums.unique += Number(unique)
}

/** What is known of a value besides the clicks that were read. */
interface Known extends Sums {
  number: number
  /** Visitors who count for `other` when the value isn't listed. */
  others: number
}

/** `value`: the numbers that the clicks have in `values`. */
export async function listAnswer(
  facts: Facts,
  { dimension, limit }: Listing,
  clicks: Clicks,
  values: Values,
  value: Uint32Array,
): Promise<List | null> {
  const { bots: mode } = facts.selection
  const known = await knownValues(facts, dimension, values)
  const kinds = values.list.length
  const { all, bots } = countValues(clicks, value, kinds)
  for (const more of known) {
    all[more.number] = (all[more.number] as number) + more.all
    bots[more.number] = (bots[more.number] as number) + more.bots
  }
  const meant = { exclude: all.map((n, i) => n - (bots[i] as number)), include: all, only: bots }
  const listed = mostClicked(meant[mode], values.list, limit)
  const places = placesOf(listed, kinds)
  const unique = countVisitors(clicks, value, mode, places, listed.length)
  for (const more of known) {
    const place = places[more.number] as number
    const visitors = place < listed.length ? more.unique : more.others
    unique[place] = (unique[place] as number) + visitors
  }
  const rest = kinds > listed.length ? await rolledOthers(facts, dimension, values, listed) : 0
  if (rest === null) return null

  const other: Sums = { all: 0, bots: 0, unique: (unique[listed.length] as number) + rest }
  for (let number = 0; number < kinds; number++) {
    if ((places[number] as number) < listed.length) continue
    other.all += all[number] as number
    other.bots += bots[number] as number
  }
  return {
    values: listed.map((number, place) => {
      const sums = {
        all: all[number] as number,
        bots: bots[number] as number,
        unique: unique[place] as number,
      }
      return { value: values.list[number] as Value, ...countsOf(sums, mode) }
    }),
    other: countsOf(other, mode),
  }
}

/** Where each value stands in the list; its length for those that don't. */
function placesOf(listed: readonly number[], kinds: number): Uint32Array {
  const places = new Uint32Array(kinds).fill(listed.length)
  listed.forEach((number, place) => {
    places[number] = place
  })
  return places
}

/** What is rolled up, and what was purged. */
async function knownValues(
  { asking, selection, rolled, old }: Facts,
  dimension: Dimension,
  values: Values,
): Promise<Known[]> {
  const known: Known[] = []
  const know = (stored: unknown, all: unknown, bots: unknown, own: unknown, others: unknown) =>
    known.push({
      number: values.numberOf(valueFrom(dimension, stored)),
      all: Number(all),
      bots: Number(bots),
      unique: Number(own),
      others: Number(others),
    })
  if (rolled !== null) {
    for (const [stored, all, bots, own, others] of await asking.rows(
      rolledTop(rolled, selection, dimension),
    )) {
      know(stored, all, bots, own, others)
    }
  }
  const purged = old.length > 0 ? purgedClicks(selection, dimension) : null
  if (purged !== null) {
    for (const [, stored, all, bots, unique] of await asking.rows(purged)) {
      know(stored, all, bots, unique, unique)
    }
  }
  return known
}

/** The visitors with values that aren't listed, as far as roll-ups tell; null: too many clicks. */
async function rolledOthers(
  { asking, selection, rolled, atMost }: Facts,
  dimension: Dimension,
  values: Values,
  listed: readonly number[],
): Promise<number | null> {
  if (rolled === null || CONSTANT.has(dimension)) return 0
  const names = listed.map((number) => values.list[number] as Value)
  const filter = { dimension, values: names, exclude: false }
  const { visitors, lost } = await rolledRest(asking, rolled, selection, filter)
  if (lost === null) return visitors
  const where = sql`${fitting(selection)} AND ${within(lost)}`
  const clicks = await readClicks(asking, where, [values], atMost)
  if (clicks === null) return null
  const places = placesOf(listed, values.list.length)
  const value = clicks.values[0] as Uint32Array
  const found = countVisitors(clicks, value, selection.bots, places, listed.length)
  return visitors + (found[listed.length] as number)
}
