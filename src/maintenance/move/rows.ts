import type { SqliteConnection } from '../../platform/storage/index.ts'
import type { Target } from './target.ts'

/** Rows read and copied together. */
const PAGE_ROWS = 5_000
/** Tables referenced by others, which come first. */
const REFERENCED = ['workspaces', 'users']
/** Tables with another form in PostgreSQL. */
const NOT_MOVED = /^(?:sqlite_|kysely_|links_search|journal_watermark$)/
const FLOAT = 'double precision'

/** The number of rows, and the sum of 64 bits of each row's MD5 modulo 2^64, in hexadecimal. */
export interface Digest {
  rows: number
  checksum: string
}

/** The digest of no rows. */
export const NONE: Digest = digestOf(0, 0)

/** A digest from a database's numbers, in any sign and size of the sum. */
export function digestOf(rows: unknown, sum: unknown): Digest {
  const checksum = BigInt.asUintN(64, BigInt(String(sum ?? 0))).toString(16)
  return { rows: Number(rows), checksum: checksum.padStart(16, '0') }
}

/** The digest of both sets of rows together. */
export function plus(a: Digest, b: Digest): Digest {
  return digestOf(a.rows + b.rows, BigInt(`0x${a.checksum}`) + BigInt(`0x${b.checksum}`))
}

/** Whether two digests are equal, hence the rows as far as 64 bits can tell. */
export function isSame(a: Digest, b: Digest): boolean {
  return a.rows === b.rows && a.checksum === b.checksum
}

/** A table's digests on both sides, and how many rows were copied. */
export interface Moved {
  table: string
  source: Digest
  target: Digest
  copied: number
}

/** Called with the number of rows read or copied. */
export type Progress = (table: string, rows: number) => void

/** A row in the order of the target's columns. */
type Row = (string | null)[]
type Columns = readonly { name: string; type: string }[]

/** A table of both databases, with all rows of the source. */
type Table = Awaited<ReturnType<typeof tableOf>>

/**
 * Copies tables one after the other: an equal table is kept, any other is replaced in one
 * transaction. So an interrupted move continues with the table where it was.
 */
export async function moveTables(
  databases: readonly SqliteConnection[],
  target: Target,
  progress: Progress,
): Promise<Moved[]> {
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table'"
  const found = databases.flatMap((connection) =>
    connection.raw
      .query<{ name: string }, []>(tables)
      .all()
      .map(({ name }) => ({ name, connection })),
  )
  const rank = ({ name }: { name: string }) => (REFERENCED.includes(name) ? 0 : 1)
  const moved: Moved[] = []
  for (const { name, connection } of found.toSorted((a, b) => rank(a) - rank(b))) {
    if (NOT_MOVED.test(name)) continue
    moved.push(await moveTable(await tableOf(name, connection, target), target, progress))
  }
  return moved
}

async function moveTable(table: Table, target: Target, progress: Progress): Promise<Moved> {
  const { name, columns } = table
  let source = NONE
  function* read() {
    let rows = 0
    let sum = 0n
    let page = ''
    for (const row of table.rows()) {
      rows++
      sum += hashOf(row, columns)
      page += lineOf(row)
      if (rows % PAGE_ROWS > 0) continue
      progress(name, PAGE_ROWS)
      yield page
      page = ''
    }
    source = digestOf(rows, sum)
    yield page
  }
  const before = await digestInTarget(table, target)
  if (before.rows > 0) {
    // Consumed to the end to compute the digest.
    for (const _ of read());
    if (isSame(source, before)) return { table: name, source, target: before, copied: 0 }
  }
  const list = columns.map((column) => `"${column.name}"`).join(', ')
  // After an error the connection is closed, which rolls this back.
  await target.all('BEGIN')
  // Referencing tables are emptied too: they come later, and are copied again.
  await target.all(`TRUNCATE ${name} CASCADE`)
  await target.copy(`COPY ${name} (${list}) FROM STDIN (FORMAT csv)`, read())
  await target.all('COMMIT')
  await target.all(`ANALYZE ${name}`)
  return { table: name, source, target: await digestInTarget(table, target), copied: source.rows }
}

/** @throws when the tables have different columns */
async function tableOf(name: string, { raw }: SqliteConnection, target: Target) {
  const columns = await target.all<Columns[number]>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [name],
  )
  const own = raw.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${name}')`).all()
  const named = (list: readonly { name: string }[]) => `${list.map((column) => column.name).sort()}`
  if (named(own) !== named(columns)) throw new Error(`The tables ${name} of the databases differ`)
  // 64-bit values don't fit into a number.
  const read = columns.map(({ name, type }) =>
    type === FLOAT ? `"${name}"` : `CAST("${name}" AS TEXT) AS "${name}"`,
  )
  const query = raw.query<Record<string, unknown>, []>(`SELECT ${read.join(', ')} FROM ${name}`)
  return {
    name,
    columns,
    *rows(): Generator<Row> {
      for (const row of query.iterate()) {
        // PostgreSQL's texts can't contain U+0000; a node strips it too.
        yield columns.map(({ name }) =>
          row[name] === null ? null : String(row[name]).replaceAll('\0', '\uFFFD'),
        )
      }
    },
  }
}

async function digestInTarget({ name, columns }: Table, target: Target): Promise<Digest> {
  // The databases format floating-point numbers differently, so their bytes are compared.
  const texts = columns.map(({ name, type }) => {
    const text = type === FLOAT ? `encode(float8send("${name}"), 'hex')` : `"${name}"::text`
    return `coalesce(${text}, E'\\x1e')`
  })
  const [row] = await target.all<{ rows: string; sum: string }>(
    `SELECT count(*) AS rows, sum(('x' || left(md5(concat_ws(E'\\x1f', ${texts.join(', ')})), 16))
       ::bit(64)::bigint)::text AS sum FROM ${name}`,
  )
  return digestOf(row?.rows, row?.sum)
}

const hash = Buffer.alloc(16)
const bytes = Buffer.alloc(8)

/** 64 bits of a row, as in {@link digestInTarget}. */
function hashOf(row: Row, columns: Columns): bigint {
  const texts = row.map((value, at) => {
    if (value === null) return '\x1e'
    if (columns[at]?.type !== FLOAT) return value
    bytes.writeDoubleBE(Number(value))
    return bytes.toString('hex')
  })
  Bun.CryptoHasher.hash('md5', texts.join('\x1f'), hash)
  return hash.readBigUInt64BE(0)
}

/** A row as CSV: null is an empty field without quotes. */
function lineOf(row: Row): string {
  const fields = row.map((value) => (value === null ? '' : `"${value.replaceAll('"', '""')}"`))
  return `${fields.join(',')}\n`
}
