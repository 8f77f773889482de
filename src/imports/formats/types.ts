import type { ErrorDetail } from '../../errors/index.ts'
import type { ImportField } from './columns.ts'

/** Where files come from. */
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

/** What a record says of a link. */
export interface Draft {
  /** Fields of a link as a client would send them; not checked yet. */
  link: Record<string, unknown>
  /** The host of its short address, which may be none of this instance. */
  host?: string | undefined
  /** How often it was clicked before. */
  clicks?: number | undefined
  /** Why it can't be taken, beyond what the check of its fields finds. */
  faults?: ErrorDetail[]
}

/** How the files of one product are read. */
export interface Format {
  /**
   * A file is one that has all columns (or an object all members) of one of these lists. Names are
   * compared in lower case, without spaces and punctuation.
   */
  has: readonly (readonly string[])[]
  /** Another product's files have the same, and this one. */
  lacks?: string
  /** Where its columns have other names than usual, or mean something else. */
  columns?: ColumnNames
  /** What more a record says, by its columns' names as they are compared. */
  adjust?(draft: Draft, cell: (name: string) => unknown): void
}

/** Which names a product gives the columns of a field; of other fields the usual ones count. */
export type ColumnNames = Partial<Record<ImportField, readonly string[]>>
