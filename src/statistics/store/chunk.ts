import { bindings, DuckDBDataChunk, type DuckDBType } from './duckdb.ts'

/** Rows that DuckDB takes at once. */
export const CHUNK_ROWS = 2_048
/** A string of up to so many bytes stands in the vector itself (duckdb's `string_t`). */
const INLINE_BYTES = 12
const ENCODED_AT_MOST = 20_000

type Vector = ReturnType<typeof bindings.data_chunk_get_vector>
type NumberArray = BigUint64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array

/**
 * A chunk that is filled column by column through DuckDB's vectors themselves. Value by value,
 * through the library's own classes, a click took twice as long: its bits for nulls are BigInts, and
 * each string is a call.
 */
export interface ChunkWriter {
  /** Begins a chunk of so many rows. */
  begin(rows: number): void
  /** The rows of a column of fixed width; `offset` is in elements. */
  numbers(column: number, values: NumberArray, offset?: number): void
  /** A column of BIGINT, from doubles that are whole. */
  bigints(column: number, values: Float64Array, offset: number): void
  /** Which rows of a column aren't null (1), when any may be. */
  valid(column: number, present: Uint8Array, offset: number): void
  text(column: number, values: readonly (string | null)[], offset: number): void
  /** A column of lists: none or one text each. */
  list(column: number, values: readonly (string | null)[], offset: number): void
  readonly chunk: DuckDBDataChunk
}

/** `types`: the columns', in order. */
export function createChunkWriter(types: readonly DuckDBType[]): ChunkWriter {
  let chunk = DuckDBDataChunk.create(types, 0)
  let rows = 0
  const words = new Uint32Array(CHUNK_ROWS * 4)
  const validity = new Uint32Array(CHUNK_ROWS / 32)
  /** Of a column of lists. */
  const entries = new Uint32Array(CHUNK_ROWS * 4)
  const present: string[] = []
  const encoder = new TextEncoder()
  /** Short strings as DuckDB holds them: few, and always the same. Null: too long. */
  const encoded = new Map<string, Uint32Array | null>()

  const vectorOf = (column: number) => bindings.data_chunk_get_vector(chunk.chunk, column)

  function encode(value: string): Uint32Array | null {
    if (value.length > INLINE_BYTES) return null
    let known = encoded.get(value)
    if (known !== undefined) return known
    const bytes = encoder.encode(value)
    if (bytes.length > INLINE_BYTES) known = null
    else {
      known = new Uint32Array(4)
      known[0] = bytes.length
      new Uint8Array(known.buffer).set(bytes, 4)
    }
    if (encoded.size >= ENCODED_AT_MOST) encoded.clear()
    encoded.set(value, known)
    return known
  }

  function writeValidity(vector: Vector): void {
    bindings.vector_ensure_validity_writable(vector)
    bindings.copy_data_to_vector_validity(vector, 0, validity.buffer, 0, validity.byteLength)
  }

  function writeTexts(
    vector: Vector,
    values: readonly (string | null)[],
    offset: number,
    count: number,
  ): void {
    validity.fill(0xffffffff)
    let nulls = 0
    const long: number[] = []
    for (let row = 0; row < count; row++) {
      const at = row * 4
      const value = values[offset + row] as string | null
      if (value === null) {
        clear(validity, row)
        nulls++
        words[at] = 0
        continue
      }
      const inline = encode(value)
      if (inline === null) {
        long.push(row)
        words[at] = 0
      } else {
        words[at] = inline[0] as number
        words[at + 1] = inline[1] as number
        words[at + 2] = inline[2] as number
        words[at + 3] = inline[3] as number
      }
    }
    if (nulls < count) {
      bindings.copy_data_to_vector(vector, 0, words.buffer, 0, count * 16)
      for (const row of long) {
        bindings.vector_assign_string_element(vector, row, values[offset + row] as string)
      }
    }
    if (nulls > 0) writeValidity(vector)
  }

  return {
    get chunk() {
      return chunk
    },
    begin(count) {
      chunk = DuckDBDataChunk.create(types, count)
      rows = count
    },
    numbers(column, values, offset = 0) {
      const width = values.BYTES_PER_ELEMENT
      bindings.copy_data_to_vector(
        vectorOf(column),
        0,
        values.buffer as ArrayBuffer,
        values.byteOffset + offset * width,
        rows * width,
      )
    },
    bigints(column, values, offset) {
      for (let row = 0; row < rows; row++) {
        const value = values[offset + row] as number
        words[row * 2] = value >>> 0
        words[row * 2 + 1] = Math.floor(value / 4_294_967_296)
      }
      bindings.copy_data_to_vector(vectorOf(column), 0, words.buffer, 0, rows * 8)
    },
    valid(column, present, offset) {
      validity.fill(0xffffffff)
      let nulls = false
      for (let row = 0; row < rows; row++) {
        if (present[offset + row] !== 0) continue
        clear(validity, row)
        nulls = true
      }
      if (nulls) writeValidity(vectorOf(column))
    },
    text: (column, values, offset) => writeTexts(vectorOf(column), values, offset, rows),
    list(column, values, offset) {
      present.length = 0
      for (let row = 0; row < rows; row++) {
        const value = values[offset + row] as string | null
        // Where its texts begin, and how many they are; halves of 64 bits, the lower one first.
        entries[row * 4] = present.length
        entries[row * 4 + 2] = value === null ? 0 : 1
        if (value !== null) present.push(value)
      }
      const vector = vectorOf(column)
      bindings.copy_data_to_vector(vector, 0, entries.buffer, 0, rows * 16)
      // Not more than a vector of texts has room for.
      bindings.list_vector_set_size(vector, present.length)
      if (present.length === 0) return
      writeTexts(bindings.list_vector_get_child(vector), present, 0, present.length)
    },
  }
}

function clear(bits: Uint32Array, row: number): void {
  bits[row >> 5] = (bits[row >> 5] as number) & ~(1 << (row & 31))
}

/** The bytes of a column of fixed width, as they lie in DuckDB's vector; nulls are of no use. */
export function columnBytes(chunk: DuckDBDataChunk, column: number, width: number): ArrayBuffer {
  const vector = bindings.data_chunk_get_vector(chunk.chunk, column)
  // A copy: what the vector lies in goes with the chunk, and needn't be aligned.
  return new Uint8Array(bindings.vector_get_data(vector, chunk.rowCount * width)).buffer
}

/** The same, copied to where they are wanted; `at` is in bytes. */
export function copyColumn(
  chunk: DuckDBDataChunk,
  column: number,
  width: number,
  into: Uint8Array,
  at: number,
): void {
  const vector = bindings.data_chunk_get_vector(chunk.chunk, column)
  into.set(bindings.vector_get_data(vector, chunk.rowCount * width), at)
}

/** A bit for each row of a column, 1 where it isn't null, the first row's lowest; null: all are 1. */
export function columnValidity(chunk: DuckDBDataChunk, column: number): Uint8Array | null {
  const vector = bindings.data_chunk_get_vector(chunk.chunk, column)
  // DuckDB's words for this have 64 bits.
  return bindings.vector_get_validity(vector, Math.ceil(chunk.rowCount / 64) * 8)
}
