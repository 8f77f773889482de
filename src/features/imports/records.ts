import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { withoutApostrophe } from '../../lib/base/csv.ts'
import { nextTurn } from '../../lib/base/turn.ts'
import { AppError } from '../../lib/errors/index.ts'
import { COLUMNS_MAX, DEPTH_MAX, parseNested, type SourceRecord } from './formats/index.ts'
import { createParser } from './json-parser.ts'

/** File formats. */
export const KINDS = ['csv', 'ndjson', 'json'] as const
export type Kind = (typeof KINDS)[number]

/** A record of a file; null: it can't be read. */
export type ReadRecord = SourceRecord | null

/** The most characters of a record. Longer ones can't be links, and are refused. */
export const RECORD_LENGTH_MAX = 262_144
/** Past so many characters of a refused record its end isn't searched for: the file is unreadable. */
export const SKIPPED_LENGTH_MAX = 4 * 1024 * 1024
/** Characters that are parsed between two turns of the event loop. */
const PIECE_LENGTH = 4_096

/** A position in a text, from 1; columns in code points. */
interface Place {
  line: number
  column: number
}

/** Where a text begins. */
export const START: Place = { line: 1, column: 1 }

/** The file is truncated, isn't of its declared format, or has a record without end. */
export class UnreadableFile extends Error {
  constructor(
    readonly place: Place,
    /** The text ends too early. */
    readonly isCut = false,
  ) {
    super()
  }

  /** The error for clients. */
  get refusal(): AppError {
    return new AppError('FILE_UNREADABLE', { params: { ...this.place } })
  }
}

function placeAfter({ line, column }: Place, text: string): Place {
  const lines = text.split('\n')
  const last = [...(lines.at(-1) as string)].length
  return lines.length === 1
    ? { line, column: column + last }
    : { line: line + lines.length - 1, column: 1 + last }
}

/** How a file is read. */
interface ReadingOptions {
  /**
   * Slugline's own export: empty cells without quotes are null, and the apostrophe before formulas is
   * removed; see `lib/base/csv.ts`.
   */
  isExport?: boolean | undefined
  /** Called with the columns of a CSV file. */
  onColumns?: ((columns: readonly string[]) => void) | undefined
}

/**
 * The records of a file, one at a time, in order.
 * @throws UnreadableFile
 */
export function readRecords(
  kind: Kind,
  text: AsyncIterable<string>,
  { isExport = false, onColumns }: ReadingOptions = {},
): AsyncIterable<ReadRecord> {
  const pieces = piecesOf(text)
  if (kind === 'csv') return readCsv(pieces, { isExport, onColumns })
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

async function* readCsv(
  text: AsyncIterable<string>,
  { isExport, onColumns }: ReadingOptions,
): AsyncIterable<ReadRecord> {
  const chunks = text[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const [hint = '', delimiter = delimiterOf(first.value)] = SEPARATOR.exec(first.value) ?? []
  async function* all() {
    yield first.value.slice(hint.length)
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  /** Where the last record ended. */
  let line = 0
  const parser = Readable.from(all()).pipe(
    parse({
      bom: true,
      columns: (names) => {
        line = 1
        const columns = uniqueColumns(names)
        onColumns?.(columns.filter((column) => column !== false))
        return columns
      },
      delimiter,
      max_record_size: SKIPPED_LENGTH_MAX,
      relax_column_count: true,
      on_record: (record, { error, lines }) => {
        line = lines
        return hasMoreCells(error) || isTooLong(record as SourceRecord) ? REFUSED : record
      },
      relax_quotes: true,
      skip_empty_lines: true,
      // Spreadsheets write rows that were cleared.
      skip_records_with_empty_values: true,
      ...(isExport && { cast: exportedCell }),
    }),
  )
  try {
    for await (const record of parser) yield record === REFUSED ? null : (record as SourceRecord)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const place = { line: line + 1 + (hint === '' ? 0 : 1), column: 1 }
    throw new UnreadableFile(place, error.code === 'CSV_QUOTE_NOT_CLOSED')
  }
}

/** The first line of some spreadsheets, which tells them the delimiter. */
const SEPARATOR = /^\ufeff?"?sep=([^\r\n"])"?(?:\r\n|\r|\n)/i

/** Stands for a row that isn't read, because the parser leaves out null. */
const REFUSED = {}

function isTooLong(record: SourceRecord): boolean {
  let length = 0
  for (const name in record) length += (record[name] as string | null)?.length ?? 0
  return length > RECORD_LENGTH_MAX
}

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
  return withoutApostrophe(cell)
}

/** Column names; unnamed and duplicate columns are ignored. */
function uniqueColumns(names: string[]): (string | false)[] {
  if (names.length > COLUMNS_MAX) throw new UnreadableFile(START)
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
    // Enough of a line to tell that it is too long.
    rest = (lines.pop() ?? '').slice(0, RECORD_LENGTH_MAX + 1)
    for (const line of lines) if (line.trim() !== '') yield recordOf(line)
  }
  if (rest.trim() !== '') yield recordOf(rest)
}

function recordOf(line: string): ReadRecord {
  if (line.length > RECORD_LENGTH_MAX) return null
  try {
    return objectOf(parseNested(line))
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
  let tokens = 0
  let parsed: { value: unknown; isDeep: boolean } | undefined
  const parser = createParser(
    ['$'],
    DEPTH_MAX,
    (value, isDeep) => {
      parsed = { value, isDeep }
    },
    () => {
      if (++tokens > tokensMax) throw new TooComplex()
    },
  )
  for await (const piece of piecesOf([text])) parser.write(piece)
  if (!parser.isEnded()) throw new Error('The text breaks off')
  if (parsed?.isDeep) throw new TooComplex()
  return parsed?.value
}

/** A JSON text has more values and signs, or nests them deeper, than is read. */
export class TooComplex extends Error {}

/** The paths of links in an object that contains more than them. */
const PATHS = ['$.links.*', '$.data.*', '$.shortUrls.data.*', '$.urls.*']
/** How many levels of these are around a link at most. */
const PATH_DEPTH = 3

async function* readJson(text: AsyncIterable<string>): AsyncIterable<ReadRecord> {
  let parser: ReturnType<typeof createParser> | undefined
  let found: ReadRecord[] = []
  let pending = 0
  let place = START
  let bytes = 0
  let lastToken = 0
  /** The text before the first record. */
  let before: string | null = ''
  for await (const chunk of text) {
    const part = parser === undefined ? chunk.trimStart() : chunk
    if (part.length < chunk.length)
      place = placeAfter(place, chunk.slice(0, -part.length || undefined))
    if (part === '') continue
    if (parser === undefined) {
      const [paths, around] = part.startsWith('[') ? [['$.*'], 1] : [PATHS, PATH_DEPTH]
      parser = createParser(
        paths,
        around + DEPTH_MAX,
        (value, isDeep) => void found.push(isDeep ? null : objectOf(value)),
        (offset) => {
          lastToken = offset
        },
      )
    }
    try {
      parser.write(part)
    } catch (error) {
      const read = Buffer.from(part).subarray(0, Math.max(0, offsetOf(error, lastToken) - bytes))
      throw new UnreadableFile(placeAfter(place, read.toString()))
    }
    pending += part.length
    if (pending > SKIPPED_LENGTH_MAX) throw new UnreadableFile(place)
    if (before !== null && before.length <= 16 * PIECE_LENGTH) before += part
    if (found.length > 0) {
      before = null
      // More than one piece belongs to the first of them alone.
      if (pending - part.length > RECORD_LENGTH_MAX) found[0] = null
      pending = 0
    }
    yield* found
    found = []
    place = placeAfter(place, part)
    bytes += Buffer.byteLength(part)
  }
  if (parser !== undefined && !parser.isEnded()) throw new UnreadableFile(place, true)
  if (before && !isEmptyList(before)) throw new UnreadableFile(START)
}

/** Whether a JSON text without records is a list of them, or contains one; a long one isn't parsed. */
function isEmptyList(text: string): boolean {
  if (text.length > 16 * PIECE_LENGTH || text.startsWith('[')) return /^\[\s{0,999}\]/.test(text)
  try {
    const { links, data, shortUrls, urls } = parseNested(text) as Record<string, { data?: unknown }>
    return [links, data, shortUrls?.data, urls].some(Array.isArray)
  } catch {
    return false
  }
}

/** Where a parser failed, in bytes: the tokenizer says it, else it is the last token. */
function offsetOf(error: unknown, lastToken: number): number {
  const [, at] = /absolute position "(\d+)"/.exec(error instanceof Error ? error.message : '') ?? []
  return at === undefined ? lastToken : Number(at)
}
