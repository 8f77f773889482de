import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { EXPORT_COLUMNS } from '../../types.ts'
import type { ExportRow, RowFormat } from '../types.ts'

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema']

/** Clicks of a row group, at least: a reader holds one in memory. */
const ROWS_PER_GROUP = 20_000

const SCHEMA: Schema = [
  { name: 'clicks', num_children: EXPORT_COLUMNS.length },
  ...EXPORT_COLUMNS.map((name): Schema[number] =>
    name === 'clicked_at'
      ? {
          name,
          type: 'INT64',
          repetition_type: 'REQUIRED',
          converted_type: 'TIMESTAMP_MILLIS',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
        }
      : { name, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL', converted_type: 'UTF8' },
  ),
]

/** Parquet with Zstandard, written row group by row group. */
export function createParquetFormat(): RowFormat {
  const bytes = new ByteWriter()
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: SCHEMA,
    codec: 'ZSTD',
    compressors: { ZSTD: (input) => Bun.zstdCompressSync(input) },
    createdBy: 'slugline',
  })
  let rows: ExportRow[] = []

  function take(): Uint8Array {
    const written = bytes.getBytes().slice()
    bytes.index = 0
    return written
  }

  function writeGroup(): void {
    if (rows.length === 0) return
    const columnData = EXPORT_COLUMNS.map((name) => ({
      name,
      data: rows.map((row) => (name === 'clicked_at' ? BigInt(row.time) : row[name])),
    }))
    parquet.write({ columnData, rowGroupSize: rows.length })
    rows = []
  }

  return {
    head: take(),
    page(page) {
      for (const row of page) rows.push(row)
      if (rows.length >= ROWS_PER_GROUP) writeGroup()
      return take()
    },
    end() {
      writeGroup()
      parquet.finish()
      return take()
    },
  }
}
