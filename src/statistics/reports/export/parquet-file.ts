import { readStruct, STRUCT, type ThriftStruct, type ThriftValue, writeStruct } from './thrift.ts'

/**
 * Puts Parquet files with the same columns together, one after the other, into one that nobody holds
 * as a whole: pages are handed on as they are, and what the footers say of them is moved to where
 * they come to lie.
 */
export interface ParquetFile {
  /** Bytes that come next, for the rows of a file. @throws RangeError when it isn't Parquet */
  add(file: Uint8Array): Uint8Array
  /** The last bytes; at least one file must have been added. */
  end(): Uint8Array
}

const MAGIC = new TextEncoder().encode('PAR1')
/** The footer's length and the mark behind it. */
const TAIL_BYTES = 8

// Numbers of fields (parquet-format, parquet.thrift).
const FILE = { rows: 3, groups: 4 }
const GROUP = { columns: 1, offset: 5, ordinal: 7 }
const COLUMN = { offset: 2, metadata: 3, offsetIndex: 4, columnIndex: 6 }
const METADATA = { pages: 9, indexPages: 10, dictionary: 11, bloom: 14 }

/** An empty one. */
export function createParquetFile(): ParquetFile {
  /** Where the next file's pages begin. */
  let end = MAGIC.length
  let rows = 0n
  let first: ThriftStruct | undefined
  const groups: ThriftValue[] = []

  return {
    add(file) {
      const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
      const pagesEnd = file.length - TAIL_BYTES - view.getUint32(file.length - TAIL_BYTES, true)
      const footer = readStruct(file.subarray(pagesEnd, file.length - TAIL_BYTES))
      const shift = BigInt(end - MAGIC.length)
      for (const it of listOf(footer, FILE.groups)) {
        const group = structOf(it)
        moveGroup(group, shift, groups.length)
        // A hundredth of what it takes as a struct.
        groups.push({ type: 'bytes', code: STRUCT, value: writeStruct(group) })
      }
      rows += integerOf(footer, FILE.rows)
      const pages = file.subarray(first === undefined ? 0 : MAGIC.length, pagesEnd)
      end += pagesEnd - MAGIC.length
      first ??= footer
      return pages
    },
    end() {
      if (first === undefined) throw new RangeError('A Parquet file without columns')
      const { code, of } = first.get(FILE.groups) as ThriftValue & { type: 'list' }
      first.set(FILE.groups, { type: 'list', code, of, value: groups })
      setInteger(first, FILE.rows, rows)
      const footer = writeStruct(first)
      const bytes = new Uint8Array(footer.length + TAIL_BYTES)
      bytes.set(footer)
      new DataView(bytes.buffer).setUint32(footer.length, footer.length, true)
      bytes.set(MAGIC, footer.length + 4)
      return bytes
    },
  }
}

function moveGroup(group: ThriftStruct, shift: bigint, ordinal: number): void {
  move(group, GROUP.offset, shift)
  // Of 16 bits, and not required.
  if (ordinal > 32_767) group.delete(GROUP.ordinal)
  else if (group.has(GROUP.ordinal)) setInteger(group, GROUP.ordinal, BigInt(ordinal))
  for (const chunk of listOf(group, GROUP.columns)) {
    const column = structOf(chunk)
    // 0 says that the metadata stands in the footer alone.
    if (integerOf(column, COLUMN.offset) !== 0n) move(column, COLUMN.offset, shift)
    move(column, COLUMN.offsetIndex, shift)
    move(column, COLUMN.columnIndex, shift)
    const metadata = structOf(column.get(COLUMN.metadata))
    for (const field of Object.values(METADATA)) move(metadata, field, shift)
  }
}

function move(struct: ThriftStruct, field: number, shift: bigint): void {
  if (struct.has(field)) setInteger(struct, field, integerOf(struct, field) + shift)
}

function setInteger(struct: ThriftStruct, field: number, value: bigint): void {
  const known = struct.get(field)
  if (known?.type !== 'integer') throw new RangeError('No Parquet')
  struct.set(field, { ...known, value })
}

function integerOf(struct: ThriftStruct, field: number): bigint {
  const it = struct.get(field)
  if (it?.type !== 'integer') throw new RangeError('No Parquet')
  return it.value
}

function listOf(struct: ThriftStruct, field: number): ThriftValue[] {
  const it = struct.get(field)
  if (it?.type !== 'list') throw new RangeError('No Parquet')
  return it.value
}

function structOf(it: ThriftValue | undefined): ThriftStruct {
  if (it?.type !== 'struct') throw new RangeError('No Parquet')
  return it.value
}
