import type { Selection } from '../../types.ts'
import type { Answer, List, Listing, Wish } from '../counting/index.ts'
import { mostClicked } from '../counting/list.ts'
import type { SeriesSums } from '../counting/series.ts'
import { createValues, type Value, type Values } from '../counting/values.ts'
import type { Asking } from '../lane/index.ts'
import { momentOf, purgedClicks } from '../sql/purged.ts'
import { valueFrom } from '../sql/where.ts'
import { countsOf, type Sums } from '../totals.ts'
import type { ToRead } from './choice.ts'
import { readClicks, unitsOf } from './clicks.ts'
import { createList } from './list.ts'
import { partsOf } from './parts.ts'
import { type Counting, createSeries } from './series.ts'
import { createTimes, isTime } from './times.ts'

/** How much is read, in clicks that are selected. */
export interface ReadingSizes {
  /** More are counted by queries, which then are as quick. */
  atMost: number
  /** At once: DuckDB hands over 13 to 37 bytes for each. */
  perPart: number
}

/** Clicks that take some 20 MB. */
const COLLECTED_FROM = 500_000
/** As many are read at most where no column of values is. */
const WITHOUT_VALUES = 3

/** As much as one question may take. */
export const READING: ReadingSizes = { atMost: 2_000_000, perPart: 1_500_000 }

/**
 * Answers a question about a workspace from the clicks themselves, part after part. Null: too
 * many are selected.
 */
export async function readAnswer<W extends Wish>(
  asking: Asking,
  selection: Selection,
  wish: W,
  { clicks, most }: ToRead,
  { atMost, perPart }: ReadingSizes,
): Promise<Answer<W> | null> {
  const ofTime = 'boundaries' in wish || isTime(wish.dimension)
  const enough = ofTime ? atMost * WITHOUT_VALUES : atMost
  if (clicks > enough) return null
  const bounds = { parts: clicks / perPart, atMost: most > enough ? enough : null }
  const answer =
    'boundaries' in wish
      ? await readSeries(asking, selection, wish.boundaries, bounds)
      : await readList(asking, selection, wish, bounds)
  return answer as Answer<W> | null
}

/** How clicks are read. */
interface Bounds {
  /** In about so many parts. */
  parts: number
  /** More are too many; null: there aren't. */
  atMost: number | null
}

async function readSeries(
  asking: Asking,
  selection: Selection,
  boundaries: readonly number[],
  bounds: Bounds,
): Promise<SeriesSums | null> {
  const series = createSeries(boundaries)
  if (!(await readParts(asking, selection, null, bounds, series))) return null
  const sums = series.sums()
  const purged = purgedClicks(selection, null)
  if (purged !== null) {
    for (const [day, , all, bots, unique] of await asking.rows(purged)) {
      const moment = momentOf(Number(day))
      const after = boundaries.findIndex((boundary) => boundary > moment)
      for (const sum of [sums.buckets[after - 1], sums.totals]) {
        if (sum !== undefined) more(sum, Number(all), Number(bots), Number(unique))
      }
    }
  }
  return sums
}

async function readList(
  asking: Asking,
  selection: Selection,
  { dimension, limit }: Listing,
  bounds: Bounds,
): Promise<List | null> {
  const { bots: mode } = selection
  const values = createValues(dimension, selection)
  const ofTime = isTime(dimension)
  const list = ofTime ? createTimes(dimension, selection, values) : createList(values)
  if (!(await readParts(asking, selection, ofTime ? null : values, bounds, list))) return null
  const purged = purgedClicks(selection, dimension)
  const old = (purged === null ? [] : await asking.rows(purged)).map(([, stored, ...sums]) => {
    const [all, bots, unique] = sums.map(Number)
    return { number: values.numberOf(valueFrom(dimension, stored)), sums: { all, bots, unique } }
  })
  const { all, bots } = list.sums()
  const kinds = values.list.length
  for (const { number, sums } of old) {
    all[number] = (all[number] as number) + (sums.all as number)
    bots[number] = (bots[number] as number) + (sums.bots as number)
  }
  const meant = { exclude: all.map((n, i) => n - (bots[i] as number)), include: all, only: bots }
  const listed = mostClicked(meant[mode], values.list, limit)
  const places = new Uint32Array(kinds).fill(listed.length)
  listed.forEach((number, place) => {
    places[number] = place
  })
  const unique = await list.visitors(places, listed.length)
  for (const { number, sums } of old) {
    const place = places[number] as number
    unique[place] = (unique[place] as number) + (sums.unique as number)
  }
  const sumsAt = Array.from({ length: listed.length + 1 }, (_, place) => ({
    all: 0,
    bots: 0,
    unique: unique[place] as number,
  }))
  for (let number = 0; number < kinds; number++) {
    const sums = sumsAt[places[number] as number] as Sums
    more(sums, all[number] as number, bots[number] as number, 0)
  }
  return {
    values: listed.map((number, place) => ({
      value: values.list[number] as Value,
      ...countsOf(sumsAt[place] as Sums, mode),
    })),
    other: countsOf(sumsAt[listed.length] as Sums, mode),
  }
}

function more(sums: Sums, all: number, bots: number, unique: number): void {
  sums.all += all
  sums.bots += bots
  sums.unique += unique
}

/**
 * Reads all parts, two of them at a time: DuckDB makes the next one while what it has handed over is
 * counted. False: there are too many clicks, or days.
 */
async function readParts(
  asking: Asking,
  selection: Selection,
  values: Values | null,
  bounds: Bounds,
  counting: Counting,
): Promise<boolean> {
  const parts = await partsOf(asking, selection, bounds.parts)
  if (parts === null) return false
  const left = parts.values()
  const atMost = bounds.atMost ?? Number.POSITIVE_INFINITY
  const limit = bounds.atMost === null ? null : bounds.atMost + 1
  let clicks = 0
  async function readOnes(): Promise<void> {
    for (const part of left) {
      const units = unitsOf(part, counting.cuts)
      const count = counting.begin(part, units)
      const before = clicks
      await readClicks(asking, selection, part, units, values, limit, (some) => {
        clicks += some.count
        if (clicks <= atMost) count(some)
        return clicks <= atMost
      })
      // Only the collector frees what DuckDB has handed over.
      if (clicks - before > COLLECTED_FROM) Bun.gc(true)
      if (clicks > atMost) return
    }
  }
  // Nobody else may ask on this connection before both have ended.
  for (const ended of await Promise.allSettled([readOnes(), readOnes()])) {
    if (ended.status === 'rejected') throw ended.reason
  }
  return clicks <= atMost
}
