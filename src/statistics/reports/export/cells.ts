/** Texts as bytes, one behind the other: a Map of strings takes several times the memory. */
export interface Cells {
  bytes: Uint8Array
  /** Where each begins, and, after the last, where that one ends. */
  starts: Uint32Array
  readonly size: number
  add(text: string): void
}

const FIRST_BYTES = 4_096
const FIRST_CELLS = 64
/** UTF-8 takes three bytes at most for a unit of UTF-16. */
const BYTES_PER_UNIT = 3

export function createCells(texts: readonly string[] = []): Cells {
  const encoder = new TextEncoder()
  let size = 0
  const cells: Cells = {
    bytes: new Uint8Array(FIRST_BYTES),
    starts: new Uint32Array(FIRST_CELLS),
    get size() {
      return size
    },
    add(text) {
      const { bytes, starts } = cells
      const at = starts[size] as number
      if (size + 2 > starts.length) {
        cells.starts = new Uint32Array(starts.length * 2)
        cells.starts.set(starts)
      }
      const end = at + text.length * BYTES_PER_UNIT
      if (end > bytes.length) {
        cells.bytes = new Uint8Array(Math.max(end, bytes.length * 2))
        cells.bytes.set(bytes.subarray(0, at))
      }
      cells.starts[++size] = at + encoder.encodeInto(text, cells.bytes.subarray(at)).written
    },
  }
  for (const text of texts) cells.add(text)
  return cells
}

/** Copies a cell to a place among other bytes; returns where it ends. */
export function copyCell(
  { bytes, starts }: Cells,
  place: number,
  out: Uint8Array,
  at: number,
): number {
  const end = starts[place + 1] as number
  let to = at
  // Few bytes: `set` takes longer.
  for (let i = starts[place] as number; i < end; i++) out[to++] = bytes[i] as number
  return to
}
