import { SLOT_MS, SLOTS_PER_DAY } from '../../store/schema.ts'
import type { Asking } from '../lane/index.ts'
import { integer, raw, sql } from '../sql/index.ts'

const DAY_MS = SLOTS_PER_DAY * SLOT_MS
/** Clicks that are further apart are counted by queries: each quarter of an hour takes some bytes. */
const DAYS_AT_MOST = 10_000
/** A range of so many days may have some without clicks. */
const DAYS_TAKEN = 1_000
/** A month isn't added to a part for want of so few clicks. */
const NEARLY = 0.95

/** Some UTC days of a range: milliseconds since the Unix epoch, from ≤ time < to. */
export interface Part {
  from: number
  to: number
  /** The slot that its first UTC day begins with. */
  start: number
  /** For each of its UTC days: how many visitors may have numbers instead of hashes (`store/steady.ts`). */
  numbered: Int32Array
}

/**
 * Cuts a range, as far as there are clicks in it, into parts that are read one after another. Cuts
 * are where months begin: a month's clicks lie together. Null: it is too long.
 * @param wanted how many parts, at most; months aren't cut
 */
export async function partsOf(
  asking: Asking,
  { from, to }: { from: number; to: number },
  wanted: number,
): Promise<Part[] | null> {
  const ends = await endsOf(asking, from, to)
  if (ends === null) return []
  const [first, end] = ends
  if (first >= end) return []
  if (end - first > DAYS_AT_MOST * DAY_MS) return null
  // Days that don't stand still yet aren't among these; they are few. Nobody has more visitors than clicks.
  const rows = await asking.rows(
    sql`SELECT no, clicks FROM ordered WHERE unit = 'day' AND no >= ${integer(Math.floor(first / DAY_MS))}
      AND no < ${integer(Math.ceil(end / DAY_MS))} ORDER BY no`,
  )
  const days = rows.map(([no, clicks]) => ({ at: Number(no) * DAY_MS, clicks: Number(clicks) }))
  const cuts = cutsOf(days, first, wanted)
  return cuts.map((cut, i) => partOf({ from: cut, to: cuts[i + 1] ?? end }, days))
}

/** A range as it is, or of the clicks that there are where it is long: to find them out takes 40 ms of CPU. */
async function endsOf(
  asking: Asking,
  from: number,
  to: number,
): Promise<[from: number, to: number] | null> {
  if (to - from <= DAYS_TAKEN * DAY_MS) return [from, to]
  const [ends] = await asking.rows(raw('SELECT min(slot), max(slot) FROM clicks'))
  if (ends?.[0] == null) return null
  return [Math.max(from, Number(ends[0]) * SLOT_MS), Math.min(to, (Number(ends[1]) + 1) * SLOT_MS)]
}

interface Day {
  at: number
  clicks: number
}

/** Where parts begin, that have about as many clicks each. */
function cutsOf(days: readonly Day[], first: number, wanted: number): number[] {
  const all = days.reduce((sum, { clicks }) => sum + clicks, 0)
  const cuts = [first]
  let before = 0
  let month = -1
  for (const { at, clicks } of days) {
    const itsMonth = new Date(at).getUTCMonth()
    const isNext = before * wanted >= all * cuts.length * NEARLY
    if (itsMonth !== month && isNext && at > first) cuts.push(at)
    month = itsMonth
    before += clicks
  }
  return cuts
}

function partOf({ from, to }: { from: number; to: number }, days: readonly Day[]): Part {
  const firstDay = Math.floor(from / DAY_MS)
  const numbered = new Int32Array(Math.ceil(to / DAY_MS) - firstDay)
  for (const { at, clicks } of days) {
    const day = at / DAY_MS - firstDay
    if (day >= 0 && day < numbered.length) numbered[day] = clicks
  }
  return { from, to, start: firstDay * SLOTS_PER_DAY, numbered }
}
