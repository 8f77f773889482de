import type { DuckDBDataChunk } from '@duckdb/node-api'
import { CHUNK_ROWS, copyColumn } from '../../store/chunk.ts'
import { bindings } from '../../store/duckdb.ts'
import { TEXT_COLUMNS } from '../../store/schema.ts'
import type { Selection } from '../../types.ts'
import { raw, type Sql, sql } from '../sql/index.ts'
import { meant } from '../sql/source.ts'

/** Clicks of a chunk, column by column. */
export interface ExportedClicks {
  count: number
  slot: Int32Array
  ms: Uint32Array
  n: Uint32Array
  /** Two halves of each, the lower one first. */
  link: Uint32Array
  domain: Int32Array
  kind: Uint8Array
  qr: Uint8Array
  /** By {@link TEXT_COLUMNS}: how many bytes the text has, and one more; 0: there is none. */
  lengths: readonly Uint32Array[]
  /** Bytes of texts, those of a click one behind the other. */
  texts: Uint8Array
  /** Where those of each click begin, and of how many bytes they are. */
  starts: Uint32Array
  sizes: Uint32Array
}

/** DuckDB's `string_t`: a length, and up to so many bytes, or their first four and where all are. */
const STRING_BYTES = 16
const INLINE_BYTES = 12
/** Between neighbours in memory there is what their alignment takes. */
const GAP_BYTES = 32
/** Texts of a chunk, as a rule; more are let go of with it. */
const USUAL_TEXTS_BYTES = 1024 * 1024

const TEXTS = TEXT_COLUMNS.map((name) => `"${name}"`)
const COLUMNS = raw(
  `concat(${TEXTS.join(', ')}), slot, ms, n, link, domain, kind, qr,
   ${TEXTS.map((text) => `coalesce(strlen(${text}) + 1, 0)::UINTEGER`).join(', ')}`,
)

/**
 * Clicks in order, as {@link createExportReader} reads them. The texts of a click are one: it is put in order,
 * copied and read as one, which takes a tenth of the time of fifteen that become JavaScript's.
 */
export function exportedClicks(part: Selection): Sql {
  return sql`SELECT ${COLUMNS} FROM clicks WHERE ${meant(part)} ORDER BY slot, ms, n`
}

/** Reads chunks; each time into the same columns. */
export function createExportReader(): (chunk: DuckDBDataChunk) => ExportedClicks {
  const clicks: ExportedClicks = {
    count: 0,
    slot: new Int32Array(CHUNK_ROWS),
    ms: new Uint32Array(CHUNK_ROWS),
    n: new Uint32Array(CHUNK_ROWS),
    link: new Uint32Array(CHUNK_ROWS * 2),
    domain: new Int32Array(CHUNK_ROWS),
    kind: new Uint8Array(CHUNK_ROWS),
    qr: new Uint8Array(CHUNK_ROWS),
    lengths: TEXTS.map(() => new Uint32Array(CHUNK_ROWS)),
    texts: new Uint8Array(USUAL_TEXTS_BYTES),
    starts: new Uint32Array(CHUNK_ROWS),
    sizes: new Uint32Array(CHUNK_ROWS),
  }
  const { slot, ms, n, link, domain, kind, qr, lengths } = clicks
  const columns = [slot, ms, n, link, domain, kind, qr, ...lengths].map((values) => ({
    width: values.byteLength / CHUNK_ROWS,
    bytes: new Uint8Array(values.buffer as ArrayBuffer),
  }))
  const readTexts = createTextReader(clicks)
  return (chunk) => {
    clicks.count = chunk.rowCount
    columns.forEach(({ width, bytes }, i) => {
      copyColumn(chunk, i + 1, width, bytes, 0)
    })
    readTexts(chunk)
    return clicks
  }
}

/** Reads the first column, of texts, a run of neighbours in memory at a time. */
function createTextReader(clicks: ExportedClicks): (chunk: DuckDBDataChunk) => void {
  const strings = new ArrayBuffer(CHUNK_ROWS * STRING_BYTES)
  const bytes = new Uint8Array(strings)
  const words = new Uint32Array(strings)
  const { starts, sizes } = clicks
  /** How many bytes of `texts` are taken. */
  let taken = 0

  function make(room: number): void {
    if (taken + room <= clicks.texts.length) return
    const texts = new Uint8Array(Math.max(taken + room, clicks.texts.length * 2))
    texts.set(clicks.texts.subarray(0, taken))
    clicks.texts = texts
  }

  /** Reads the texts of rows, whose first one lies at an address and whose last one ends behind so many bytes. */
  function take(first: number, size: number): void {
    make(size)
    const found = bindings.get_data_from_pointer(strings, first * STRING_BYTES + 8, size)
    clicks.texts.set(found, taken)
    taken += size
  }

  return (chunk) => {
    const { rowCount } = chunk
    copyColumn(chunk, 0, STRING_BYTES, bytes, 0)
    taken = 0
    if (clicks.texts.length > USUAL_TEXTS_BYTES) clicks.texts = new Uint8Array(USUAL_TEXTS_BYTES)
    /** The run's first row, the halves of where it lies, and how many bytes it has by now. */
    let first = -1
    let low = 0
    let high = 0
    let size = 0
    const finish = () => {
      if (first >= 0) take(first, size)
      first = -1
    }
    for (let row = 0; row < rowCount; row++) {
      const length = words[row * 4] as number
      sizes[row] = length
      if (length <= INLINE_BYTES) {
        finish()
        make(length)
        const at = row * STRING_BYTES + 4
        clicks.texts.set(bytes.subarray(at, at + length), taken)
        starts[row] = taken
        taken += length
        continue
      }
      const begin = words[row * 4 + 2] as number
      const gap = begin - low - size
      if (first < 0 || words[row * 4 + 3] !== high || gap < 0 || gap > GAP_BYTES) {
        finish()
        first = row
        low = begin
        high = words[row * 4 + 3] as number
      }
      starts[row] = taken + (begin - low)
      size = begin - low + length
    }
    finish()
  }
}
