import { csvField } from '../../../base/csv.ts'
import { EXPORT_COLUMNS } from '../../types.ts'

/** A click as it is exported; other members are ignored. */
export type ExportRow = Record<(typeof EXPORT_COLUMNS)[number], string | null> & { time: number }

/** The bytes of an export in one format. */
export interface RowFormat {
  head: Uint8Array
  page(rows: readonly ExportRow[]): Uint8Array
  end(): Uint8Array
}

const COLUMNS = [...EXPORT_COLUMNS]

/** CSV or NDJSON as documented at `EXPORT_COLUMNS`. */
export function createLineFormat(format: 'csv' | 'ndjson', raw: boolean): RowFormat {
  const encoder = new TextEncoder()
  const line =
    format === 'csv'
      ? (row: ExportRow) => `${COLUMNS.map((name) => csvField(row[name], raw)).join(',')}\r\n`
      : (row: ExportRow) => `${JSON.stringify(row, COLUMNS)}\n`
  return {
    head: encoder.encode(format === 'csv' ? `${COLUMNS.join(',')}\r\n` : ''),
    page: (rows) => encoder.encode(rows.map(line).join('')),
    end: () => new Uint8Array(),
  }
}
