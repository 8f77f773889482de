import type { DuckDBDataChunk } from '@duckdb/node-api'
import { columnBytes } from '../../store/chunk.ts'
import { TEXT_COLUMNS } from '../../store/schema.ts'
import type { Dimension, Selection } from '../../types.ts'
import { type Sql, sql } from '../sql/index.ts'
import { valueFrom, valueIn } from '../sql/where.ts'

export type Value = string | number | null

/** The values of a dimension, numbered from 0 in the order in which they are met. */
export interface Values {
  /** Their columns of a query: a key of 64 bits, and what it stands for. */
  columns: Sql
  /** How many those are. */
  width: number
  /** The numbers of a chunk's values. `column`: the first of {@link columns}. */
  read(chunk: DuckDBDataChunk, column: number, into: Uint32Array, at: number): void
  /** The number of a value as reports say it. */
  numberOf(value: Value): number
  /** All so far, by their number. */
  readonly list: readonly Value[]
}

const WORDS = 3

/**
 * A text is told from others by DuckDB's hash of it, 64 bits, as everywhere else: it is only made a
 * string once, which would take longer than all the rest.
 */
export function createValues(
  dimension: Dimension,
  { offsets }: Pick<Selection, 'offsets'>,
): Values {
  const isText = (TEXT_COLUMNS as readonly string[]).includes(dimension)
  const value = valueIn(dimension, offsets)
  const list: Value[] = []
  const numbers = new Map<Value, number>()
  // Key and number + 1; 0: empty. Signed: an unsigned half of a key needn't be a small integer.
  let places = new Int32Array(256 * WORDS)
  let mask = 255
  let keys = 0

  function numberOf(value: Value): number {
    let number = numbers.get(value)
    if (number === undefined) {
      number = list.length
      list.push(value)
      numbers.set(value, number)
    }
    return number
  }

  /** Where a key stands, or the empty place for it. */
  function find(low: number, high: number): number {
    let at = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1)
    at = (at ^ (at >>> 15)) & mask
    for (;;) {
      const place = at * WORDS
      if (places[place + 2] === 0 || (places[place] === low && places[place + 1] === high)) {
        return place
      }
      at = (at + 1) & mask
    }
  }

  function grow(): void {
    const before = places
    mask = mask * 2 + 1
    places = new Int32Array((mask + 1) * WORDS)
    for (let place = 0; place < before.length; place += WORDS) {
      if (before[place + 2] === 0) continue
      places.set(
        before.subarray(place, place + WORDS),
        find(before[place] as number, before[place + 1] as number),
      )
    }
  }

  function meet(low: number, high: number, place: number, stored: unknown): number {
    const number = numberOf(valueFrom(dimension, stored))
    places[place] = low
    places[place + 1] = high
    places[place + 2] = number + 1
    if (++keys * 2 > mask) grow()
    return number
  }

  function storedAt(chunk: DuckDBDataChunk, column: number, row: number): unknown {
    const stored = chunk.getColumnVector(column).getItem(row)
    return dimension === 'trigger' ? Number(stored) === 1 : stored
  }

  return {
    columns: isText ? sql`hash(${value}), ${value}` : sql`(${value})::UBIGINT`,
    width: isText ? 2 : 1,
    list,
    numberOf,
    read(chunk, column, into, at) {
      const rows = chunk.rowCount
      const key = new Int32Array(columnBytes(chunk, column, 8))
      const source = isText ? column + 1 : column
      for (let row = 0; row < rows; ) {
        // Those that are known, in a loop without calls.
        const [table, last] = [places, mask]
        let place = 0
        for (; row < rows; row++) {
          const low = key[row * 2] as number
          const high = key[row * 2 + 1] as number
          let spot = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1)
          spot = (spot ^ (spot >>> 15)) & last
          place = spot * WORDS
          while (table[place + 2] !== 0 && (table[place] !== low || table[place + 1] !== high)) {
            spot = (spot + 1) & last
            place = spot * WORDS
          }
          const known = table[place + 2] as number
          if (known === 0) break
          into[at + row] = known - 1
        }
        if (row === rows) return
        const low = key[row * 2] as number
        const high = key[row * 2 + 1] as number
        into[at + row] = meet(low, high, place, storedAt(chunk, source, row))
        row++
      }
    },
  }
}
