import { columnValidity, copyColumn } from '../../store/chunk.ts'
import { SLOTS_PER_DAY } from '../../store/schema.ts'
import type { BotsMode } from '../../types.ts'
import type { Asking } from '../lane/index.ts'
import { join, raw, type Sql, sql } from '../sql/index.ts'
import type { Values } from './values.ts'

/** More clicks are counted by SQL: these take some 20 MB while they are. */
export const CLICKS_AT_MOST = 1_000_000
/** Of more values queries list the first, too: to name them all takes as many strings. */
const VALUES_AT_MOST = 20_000

/** `what` of a click: a bot's or preview's; one whose visitor is told apart. */
export const BOT = 1
const TOLD = 2

/** Clicks, column by column. */
export interface Clicks {
  /** How many; the columns may have room for more. */
  count: number
  slot: Int32Array
  /** {@link BOT}, and what {@link countsVisitor} looks at. */
  what: Uint8Array
  /** Two halves of each visitor, the lower one first. */
  visitor: Uint32Array
  /** Visitors that are numbers, not hashes, are below this; 0: there are none. */
  numbers: number
  /** Numbers of the {@link Values} that were asked for, in their order. */
  values: Uint32Array[]
  /** Where they lie: UTC days in ascending order, some of them in several stretches. */
  days: Stretch[]
}

/** Clicks of one UTC day (since the epoch) that lie together: from ≤ index < to. */
export interface Stretch {
  day: number
  from: number
  to: number
}

/** By `what`, 1 for clicks whose visitors are counted in a mode. */
export function countsVisitor(mode: BotsMode): Uint8Array {
  const counts = new Uint8Array(4)
  if (mode !== 'only') counts[TOLD] = 1
  if (mode !== 'exclude') counts[TOLD | BOT] = 1
  return counts
}

/** The clicks that `where` says; null: there are more than `atMost`, or too many different values. */
export async function readClicks(
  asking: Asking,
  where: Sql,
  values: readonly Values[],
  atMost: number,
): Promise<Clicks | null> {
  const columns = join([raw('slot, visitor, kind'), ...values.map((it) => it.columns)], ', ')
  const clicks: Clicks = {
    count: 0,
    slot: new Int32Array(0),
    what: new Uint8Array(0),
    visitor: new Uint32Array(0),
    numbers: 0,
    values: values.map(() => new Uint32Array(0)),
    days: [],
  }
  let tooMany = false
  await asking.chunks(sql`SELECT ${columns} FROM clicks WHERE ${where}`, (chunk) => {
    const at = clicks.count
    clicks.count += chunk.rowCount
    tooMany = clicks.count > atMost || values.some(({ list }) => list.length > VALUES_AT_MOST)
    if (tooMany) return false
    makeRoom(clicks)
    copyColumn(chunk, 0, 4, new Uint8Array(clicks.slot.buffer), at * 4)
    copyColumn(chunk, 1, 8, new Uint8Array(clicks.visitor.buffer), at * 8)
    copyColumn(chunk, 2, 1, clicks.what, at)
    readWhat(clicks, at, columnValidity(chunk, 1))
    let column = 3
    values.forEach((it, i) => {
      it.read(chunk, column, clicks.values[i] as Uint32Array, at)
      column += it.width
    })
    return true
  })
  if (tooMany) return null
  clicks.days = daysOf(clicks)
  return clicks
}

/** Makes `what` of the kinds that lie there. `told`: whose visitor isn't null; null: all. */
function readWhat(clicks: Clicks, from: number, told: Uint8Array | null): void {
  const { what, count, visitor } = clicks
  let { numbers } = clicks
  for (let at = from; at < count; at++) {
    const row = at - from
    const isTold = told === null || (((told[row >> 3] as number) >> (row & 7)) & 1) === 1
    what[at] = (what[at] === 0 ? 0 : BOT) | (isTold ? TOLD : 0)
    // Where there is no visitor, there may be anything: it only makes more room.
    const low = visitor[at * 2] as number
    if (visitor[at * 2 + 1] === 0 && low >= numbers) numbers = low + 1
  }
  clicks.numbers = numbers
}

/**
 * They mostly lie in order already: months are rewritten one after another, each by link and time.
 */
function daysOf({ count, slot }: Clicks): Stretch[] {
  const stretches: Stretch[] = []
  let inOrder = true
  for (let from = 0; from < count; ) {
    const day = Math.floor((slot[from] as number) / SLOTS_PER_DAY)
    const first = day * SLOTS_PER_DAY
    const end = first + SLOTS_PER_DAY
    let to = from + 1
    while (to < count && (slot[to] as number) >= first && (slot[to] as number) < end) to++
    if (day <= (stretches.at(-1)?.day ?? -1)) inOrder = false
    stretches.push({ day, from, to })
    from = to
  }
  return inOrder ? stretches : stretches.sort((a, b) => a.day - b.day)
}

const FIRST_ROOM = 4_096

function makeRoom(clicks: Clicks): void {
  if (clicks.count <= clicks.slot.length) return
  const room = Math.max(FIRST_ROOM, clicks.slot.length * 4, clicks.count)
  clicks.slot = grown(clicks.slot, new Int32Array(room))
  clicks.what = grown(clicks.what, new Uint8Array(room))
  clicks.visitor = grown(clicks.visitor, new Uint32Array(room * 2))
  clicks.values = clicks.values.map((value) => grown(value, new Uint32Array(room)))
}

function grown<T extends Int32Array | Uint8Array | Uint32Array>(before: T, now: T): T {
  now.set(before)
  return now
}
