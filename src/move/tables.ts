import type { SqliteConnection } from '../storage/index.ts'
import { hashSql, rowText, rowTextSql } from './digest.ts'
import type { Source } from './source.ts'
import type { Target } from './target.ts'

/** A value as COPY and the digests have it. */
export type Value = string | null
/** A row's values, in the order of its table's columns. */
export type Row = readonly Value[]

/** A table that both databases have. */
export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The primary key: its columns, their types, and where in `columns` they are. */
  readonly key: readonly { name: string; type: string; at: number }[]
  /**
   * Others refer to its rows, so that they are changed where they stand: what frees their unique
   * values meanwhile. Null: rows are deleted and written anew.
   */
  readonly freed: string | null
  /** Rows of the source behind a key, in the key's order; `upTo` included, null: to the end. */
  rows(after: Row | null, upTo: Row | null, limit: number): Row[]
  /** What of a row is hashed; and 64 bits of it, as an expression of PostgreSQL's. */
  hashed(row: Row): string
  readonly hash: string
}

/** In this order: the others refer to these two. */
const FREED: Record<string, string> = {
  workspaces: `name_key = E'\\x01' || no`,
  users: `email_key = E'\\x01' || id, instance_owner = 0`,
}
const FLOAT = 'double precision'
/** What says how far a journal was counted; the search index, which PostgreSQL has of its own. */
const NOT_MOVED = /^(?:sqlite_|kysely_|links_search|journal_watermark$)/

/** Tables of the source, those that others refer to first. @throws when the target has others */
export async function tablesOf(source: Source, target: Target): Promise<Table[]> {
  const names = (connection: SqliteConnection) =>
    connection.raw
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => name)
      .filter((name) => !NOT_MOVED.test(name))
  const found = [
    ...names(source.main).map((name) => [name, source.main] as const),
    ...names(source.counters).map((name) => [name, source.counters] as const),
  ]
  const rank = ([name]: readonly [string, unknown]) => (name in FREED ? 0 : 1)
  const tables: Table[] = []
  for (const [name, connection] of found.toSorted((a, b) => rank(a) - rank(b))) {
    tables.push(await describe(name, connection, target))
  }
  return tables
}

async function describe(
  name: string,
  connection: SqliteConnection,
  target: Target,
): Promise<Table> {
  const columns = await target.columnsOf(name)
  const own = connection.raw
    .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${name}')`)
    .all()
    .map((column) => column.name)
  const isSame =
    own.length === columns.length && columns.every((column) => own.includes(column.name))
  if (!isSame) throw new Error(`The tables ${name} of the two databases differ`)
  const key = (await target.keyOf(name)).map((column) => {
    const at = columns.findIndex((known) => known.name === column)
    return { name: column, type: columns[at]?.type as string, at }
  })
  const floats = columns.flatMap(({ type }, at) => (type === FLOAT ? [at] : []))
  const expressions = columns.map(({ name, type }) =>
    type === FLOAT ? `encode(float8send("${name}"), 'hex')` : `"${name}"`,
  )
  return {
    name,
    columns: columns.map((column) => column.name),
    key,
    freed: FREED[name] ?? null,
    rows: reader(connection, name, columns, key),
    hashed(row) {
      if (floats.length === 0) return rowText(row)
      return rowText(row.map((value, at) => (floats.includes(at) ? inBytes(value) : value)))
    },
    hash: hashSql(rowTextSql(expressions)),
  }
}

/** A number's eight bytes: the databases spell numbers in different ways. */
function inBytes(value: Value): Value {
  if (value === null) return null
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(Number(value))
  return bytes.toString('hex')
}

function reader(
  { raw }: SqliteConnection,
  table: string,
  columns: readonly { name: string; type: string }[],
  key: Table['key'],
): Table['rows'] {
  // 64 bits don't fit into a number.
  const read = columns.map(({ name, type }) =>
    type === FLOAT ? `"${name}"` : `CAST("${name}" AS TEXT)`,
  )
  const names = key.map(({ name }) => `"${name}"`).join(', ')
  const marks = key.map(({ type }) => (type === 'text' ? '?' : 'CAST(? AS INTEGER)')).join(', ')
  const bound = (sign: string) => `(${names}) ${sign} (${marks})`
  const text = (where: string) =>
    `SELECT ${read.join(', ')} FROM ${table} ${where} ORDER BY ${names} LIMIT ?`
  return (after, upTo, limit) => {
    const tests = [after === null ? [] : [bound('>')], upTo === null ? [] : [bound('<=')]].flat()
    const where = tests.length === 0 ? '' : `WHERE ${tests.join(' AND ')}`
    const values = [...(after ?? []), ...(upTo ?? []), limit]
    const rows = raw.query(text(where)).values(...(values as string[])) as unknown[][]
    for (const row of rows) {
      for (let i = 0; i < row.length; i++) {
        const value = row[i]
        if (typeof value === 'string') {
          // PostgreSQL's texts can't hold it; the server would have written the same there.
          if (value.includes('\0')) row[i] = value.replaceAll('\0', '\uFFFD')
        } else if (value !== null) row[i] = String(value)
      }
    }
    return rows as Value[][]
  }
}

/** What a row is told by. */
export function keyOf({ key }: Table, row: Row): Row {
  return key.map(({ at }) => row[at] as Value)
}
