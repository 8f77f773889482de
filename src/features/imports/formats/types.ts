import type { ErrorDetail } from '../../../lib/errors/index.ts'
import type { ImportField } from './names.ts'

/** The supported formats. */
export const FORMATS = [
  'slugline',
  'csv',
  'bitly',
  'dub',
  'shlink',
  'yourls',
  'kutt',
  'short_io',
  'rebrandly',
  'sink',
  'chhoto',
] as const
export type FormatName = (typeof FORMATS)[number]

/** Which column holds which field. */
export type Mapping = Partial<Record<ImportField, string>>

/** A row by its columns, or an object of a JSON file. */
export type SourceRecord = Readonly<Record<string, unknown>>

/** A link read from a record. */
export interface Draft {
  /** The link's fields in the form of a request, not validated yet. */
  link: Record<string, unknown>
  /** The host of its short URL, which may not be one of this instance. */
  host?: string | undefined
  /** How often it was clicked before. */
  clicks?: number | undefined
  /** When it was made: RFC 3339, or what can't be read. */
  createdAt?: unknown
  /** Why it can't be imported, besides faults of its fields. */
  faults?: ErrorDetail[]
  /** It is protected by a password that isn't in the file. */
  lacksPassword?: boolean
}

/** How the files of a product are read. */
export interface Format {
  /**
   * The format matches a file with all columns (or an object with all members) of one of these
   * lists. Names are compared in lower case, without spaces and punctuation.
   */
  has: readonly (readonly string[])[]
  /** A column that another product's otherwise equal files have. */
  lacks?: string
  /** Names of its columns that differ from common ones. */
  columns?: ColumnNames
  /** Reads more of a record, by column names in their form for comparison. */
  adjust?(draft: Draft, cell: (name: string) => unknown): void
}

/** A product's column names of some fields, before the common ones. Empty: it isn't read. */
export type ColumnNames = Partial<Record<ImportField, readonly string[]>>
