import { Readable } from 'node:stream'
import { JSONParser, TokenType } from '@streamparser/json'
import { CsvError, parse } from 'csv-parse'
import { nextTurn } from '../../lib/base/turn.ts'
import { AppError } from '../../lib/errors/index.ts'
import { COLUMNS_MAX, type SourceRecord } from './formats/index.ts'

/** File formats. */
export const KINDS = ['csv', 'ndjson', 'json'] as const
export type Kind = (typeof KINDS)[number]

/** A record of a file; null: it can't be read. */
export type ReadRecord = SourceRecord | null

/** Longer records can't be links. */
export const RECORD_LENGTH_MAX = 262_144
/** Deeper nested values take long to handle, and links have none. */
const DEPTH_MAX = 64
/** Characters that are parsed between two turns of the event loop. */
const PIECE_LENGTH = 4_096

/** The file is truncated, or isn't of its declared format. */
export class UnreadableFile extends Error {}

/**
 * The records of a file, one at a time, in order.
 * @param isExport Slugline's own export: empty cells without quotes are null, and the apostrophe
 *   before formulas is removed; see `lib/base/csv.ts`
 * @throws UnreadableFile; AppError FILE_UNREADABLE if it has too many columns, or a record
 *   is too long
 */
export function readRecords(
  kind: Kind,
  text: AsyncIterable<string>,
  { isExport = false } = {},
): AsyncIterable<ReadRecord> {
  const pieces = piecesOf(text)
  if (kind === 'csv') return readCsv(pieces, isExport)
  return kind === 'ndjson' ? readLines(pieces) : readJson(pieces)
}

/** A text in pieces: others are served between them. */
async function* piecesOf(text: AsyncIterable<string> | string[]): AsyncIterable<string> {
  for await (const chunk of text) {
    for (let at = 0; at < chunk.length; ) {
      // A surrogate pair stays whole, because the parsers encode each part.
      const next = at + PIECE_LENGTH
      const end = (chunk.codePointAt(next - 1) ?? 0) > 0xffff ? next + 1 : next
      yield chunk.slice(at, end)
      await nextTurn()
      at = end
    }
  }
}

async function* readCsv(text: AsyncIterable<string>, isExport: boolean): AsyncIterable<ReadRecord> {
  const chunks = text[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const head = first.value
  async function* all() {
    yield head
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  const parser = Readable.from(all()).pipe(
    parse({
      bom: true,
      columns: uniqueColumns,
      delimiter: delimiterOf(head),
      max_record_size: RECORD_LENGTH_MAX,
      relax_column_count: true,
      on_record: (record, { error }) => (hasMoreCells(error) ? TOO_WIDE : record),
      relax_quotes: true,
      skip_empty_lines: true,
      ...(isExport && { cast: exportedCell }),
    }),
  )
  try {
    for await (const record of parser) yield record === TOO_WIDE ? null : (record as SourceRecord)
  } catch (error) {
    throw error instanceof CsvError ? new UnreadableFile(error.message) : error
  }
}

/** Stands for a row with more cells than the header, because the parser leaves out null. */
const TOO_WIDE = {}

/**
 * Whether a row has more cells than the header, so that they can't be told apart: a delimiter in an
 * unquoted URL divides it. Empty cells at the end are common in files of spreadsheets.
 */
function hasMoreCells(error: CsvError | undefined): boolean {
  if (error === undefined) return false
  const { record, columns } = error as { record?: unknown; columns?: unknown }
  if (!Array.isArray(record) || !Array.isArray(columns)) return false
  return record.slice(columns.length).some((cell) => cell !== null && cell !== '')
}

function exportedCell(cell: string, { quoting, header }: { quoting: boolean; header: boolean }) {
  if (header) return cell
  if (cell === '') return quoting ? '' : null
  return /^'[=+\-@\t\r']/.test(cell) ? cell.slice(1) : cell
}

/** Column names; unnamed and duplicate columns are ignored. */
function uniqueColumns(names: string[]): (string | false)[] {
  if (names.length > COLUMNS_MAX) throw new AppError('FILE_UNREADABLE')
  const seen = new Set<string>()
  return names.map((name) => {
    const column = name.trim()
    if (column === '' || seen.has(column)) return false
    seen.add(column)
    return column
  })
}

const DELIMITERS = [',', ';', '\t'] as const

/** The delimiter of the first line. */
function delimiterOf(head: string): string {
  const [line = ''] = head.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/)
  const counts = DELIMITERS.map((each) => line.split(each).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

async function* readLines(text: AsyncIterable<string>): AsyncIterable<ReadRecord> {
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n')
    // Of a line that is too long no more is kept than shows that.
    rest = (lines.pop() ?? '').slice(0, RECORD_LENGTH_MAX + 1)
    for (const line of lines) if (line.trim() !== '') yield recordOf(line)
  }
  if (rest.trim() !== '') yield recordOf(rest)
}

function recordOf(line: string): ReadRecord {
  if (line.length > RECORD_LENGTH_MAX) return null
  try {
    return objectOf(JSON.parse(line))
  } catch {
    return null
  }
}

function objectOf(value: unknown): ReadRecord {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || Object.keys(value).length > COLUMNS_MAX) return null
  return value as SourceRecord
}

/**
 * A whole JSON text.
 * @throws Error it isn't JSON; {@link TooComplex}
 */
export async function parseJson(text: string, tokensMax: number): Promise<unknown> {
  let parsed: unknown
  const parser = createParser(
    ['$'],
    (value) => {
      parsed = value
    },
    tokensMax,
  )
  for await (const piece of piecesOf([text])) parser.write(piece)
  if (!parser.isEnded) throw new Error('The text breaks off')
  return parsed
}

/** A JSON text has more values and signs, or nests them deeper, than is read. */
export class TooComplex extends Error {}

/** `found` is called with each value at one of the paths. */
function createParser(
  paths: string[],
  found: (value: unknown) => void,
  tokensMax = Number.POSITIVE_INFINITY,
): JSONParser {
  const parser = new JSONParser({ paths, keepStack: false })
  let tokens = 0
  let depth = 0
  parser.onToken = ({ token }) => {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth++
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth--
    if (++tokens > tokensMax || depth > DEPTH_MAX) throw new TooComplex()
  }
  parser.onValue = ({ value }) => found(value)
  return parser
}

/** The paths of links in an object that contains more than them. */
const PATHS = ['$.links.*', '$.data.*', '$.shortUrls.data.*', '$.urls.*']

async function* readJson(text: AsyncIterable<string>): AsyncIterable<ReadRecord> {
  let parser: JSONParser | undefined
  let found: ReadRecord[] = []
  let pending = 0
  for await (const chunk of text) {
    const part = parser === undefined ? chunk.trimStart() : chunk
    if (part === '') continue
    if (parser === undefined) {
      const paths = part.startsWith('[') ? ['$.*'] : PATHS
      parser = createParser(paths, (value) => void found.push(objectOf(value)))
    }
    try {
      parser.write(part)
    } catch (error) {
      throw new UnreadableFile(error instanceof Error ? error.message : 'No JSON')
    }
    pending = found.length > 0 ? 0 : pending + part.length
    if (pending > RECORD_LENGTH_MAX) throw new AppError('FILE_UNREADABLE')
    yield* found
    found = []
  }
  if (parser !== undefined && !parser.isEnded) throw new UnreadableFile('The file breaks off')
}
