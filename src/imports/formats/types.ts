import type { ErrorDetail } from '../../errors/index.ts'

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

/** What a column can hold: fields of a link, its whole short address, or its clicks so far. */
export const IMPORT_FIELDS = [
  'destination_url',
  'slug',
  'short_url',
  'domain',
  'aliases',
  'title',
  'notes',
  'tags',
  'external_id',
  'enabled',
  'redirect_status',
  'forward_query',
  'starts_at',
  'expires_at',
  'max_clicks',
  'fallback_url',
  'password',
  'clicks',
] as const
export type ImportField = (typeof IMPORT_FIELDS)[number]

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
   * Whether a file with these columns, or an object with these members, is one. Names are compared
   * in lower case, without spaces and punctuation.
   */
  recognizes(columns: ReadonlySet<string>): boolean
  /** Where its columns have other names than usual, or mean something else. */
  columns?: ColumnNames
  /** What more a record says, by its columns' names as they are compared. */
  adjust?(draft: Draft, cell: (name: string) => unknown): void
}

/** Which names a product gives the columns of a field; of other fields the usual ones count. */
export type ColumnNames = Partial<Record<ImportField, readonly string[]>>
