import type { DuckDBDataChunk } from '@duckdb/node-api'
import { CHUNK_ROWS, columnValidity, copyColumn } from '../../store/chunk.ts'
import { SLOTS_PER_DAY } from '../../store/schema.ts'
import type { BotsMode, Selection } from '../../types.ts'
import type { Values } from '../counting/values.ts'
import type { Asking } from '../lane/index.ts'
import { integer, raw, type Sql, sql } from '../sql/index.ts'
import { fitting } from '../sql/source.ts'
import { createHashes, type Hashes } from './hashes.ts'
import type { Part } from './parts.ts'

/** Some clicks of a part, column by column. */
export interface Clicks {
  count: number
  /** Their slots, counted from the part's start. */
  slot: Int32Array
  /** 1: a bot's or a preview's. */
  bot: Uint8Array
  /** A number of the visitor on the UTC day, as {@link Units} has them; -1: they aren't counted. */
  visitor: Int32Array
  /** Numbers of {@link Values}, when some are listed. */
  value: Uint32Array
}

/**
 * The UTC days of a part, each cut where buckets begin in it. Each has numbers for its day's visitors:
 * small tables, which the processor has at hand, where those by slot would take most of the time.
 */
export interface Units {
  /** Which one each slot lies in, counted from the part's start. */
  of: Int32Array
  /** By unit: its UTC day, counted from the part's first one. */
  day: Int32Array
  /** Where the numbers of its day's visitors begin, if it stands still. */
  begin: Int32Array
  /** How many those are. */
  numbered: Int32Array
  /** Where the numbers of all other visitors begin, as they come. */
  end: number
}

/** `cuts`: slots that units begin in, besides those that UTC days do. */
export function unitsOf({ start, numbered }: Part, cuts: readonly number[]): Units {
  const isCut = new Set(cuts)
  const of = new Int32Array(numbered.length * SLOTS_PER_DAY)
  const days: number[] = []
  for (let slot = 0; slot < of.length; slot++) {
    if (slot % SLOTS_PER_DAY === 0 || isCut.has(start + slot)) {
      days.push(Math.floor(slot / SLOTS_PER_DAY))
    }
    of[slot] = days.length - 1
  }
  let end = 0
  const begins = Array.from(numbered, (visitors) => {
    end += visitors
    return end - visitors
  })
  const ofDays = (values: ArrayLike<number>) => Int32Array.from(days, (day) => values[day] ?? 0)
  const day = Int32Array.from(days)
  return { of, day, begin: ofDays(begins), numbered: ofDays(numbered), end }
}

/**
 * Reads the clicks of a selection that lie in a part, which `take` is given some at a time, in columns
 * that are the same each time. Until it answers false.
 * @param atMost no more are read; null: it is known that there aren't too many
 */
export async function readClicks(
  asking: Asking,
  selection: Selection,
  part: Part,
  units: Units,
  values: Values | null,
  atMost: number | null,
  take: (clicks: Clicks) => boolean,
): Promise<void> {
  const { from, to } = part
  const clicks: Clicks = {
    count: 0,
    slot: new Int32Array(CHUNK_ROWS),
    bot: new Uint8Array(CHUNK_ROWS),
    visitor: new Int32Array(CHUNK_ROWS),
    value: new Uint32Array(values === null ? 0 : CHUNK_ROWS),
  }
  const read = createReader(part, units, selection.bots, clicks)
  await asking.chunks(clicksOf({ ...selection, from, to }, values, atMost), (chunk) => {
    read(chunk)
    values?.read(chunk, 3, clicks.value, 0)
    return take(clicks)
  })
}

function clicksOf(selection: Selection, values: Values | null, atMost: number | null): Sql {
  const columns = values === null ? raw('') : sql`, ${values.columns}`
  // It takes a third more when it is all that is asked for.
  const limit = atMost === null ? raw('') : sql`LIMIT ${integer(atMost)}`
  return sql`SELECT slot, visitor, kind${columns} FROM clicks WHERE ${fitting(selection)} ${limit}`
}

function createReader(part: Part, units: Units, mode: BotsMode, clicks: Clicks) {
  const hashes = createHashes()
  const columns: Columns = {
    visitor: new Int32Array(CHUNK_ROWS * 2),
    told: null,
  }
  const slots = new Uint8Array(clicks.slot.buffer)
  const visitors = new Uint8Array(columns.visitor.buffer)
  const counts = { people: mode !== 'only', bots: mode !== 'exclude' }
  return (chunk: DuckDBDataChunk): void => {
    copyColumn(chunk, 0, 4, slots, 0)
    copyColumn(chunk, 1, 8, visitors, 0)
    copyColumn(chunk, 2, 1, clicks.bot, 0)
    columns.told = columnValidity(chunk, 1)
    clicks.count = chunk.rowCount
    readRows(columns, part.start, units, counts, hashes, clicks)
  }
}

/** As DuckDB has them. */
interface Columns {
  /** Two halves of each, the lower one first. */
  visitor: Int32Array
  /** Bits of those who aren't null; null: of all. */
  told: Uint8Array | null
}

function readRows(
  columns: Columns,
  start: number,
  { of, day, begin, numbered, end }: Units,
  { people, bots }: { people: boolean; bots: boolean },
  hashes: Hashes,
  { count, slot, bot, visitor }: Clicks,
): void {
  const { visitor: halves, told } = columns
  for (let row = 0; row < count; row++) {
    const moment = (slot[row] as number) - start
    slot[row] = moment
    const at = of[moment] as number
    const isBot = bot[row] !== 0
    if (isBot) bot[row] = 1
    const isTold = told === null || (((told[row >> 3] as number) >> (row & 7)) & 1) === 1
    if (!isTold || !(isBot ? bots : people)) {
      visitor[row] = -1
      continue
    }
    const low = halves[row * 2] as number
    const high = halves[row * 2 + 1] as number
    const isNumber = high === 0 && low >= 0 && low < (numbered[at] as number)
    visitor[row] = isNumber
      ? (begin[at] as number) + low
      : end + hashes.add(low, high, day[at] as number)
  }
}
