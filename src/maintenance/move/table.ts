import type { SqliteConnection } from '../../platform/storage/index.ts'
import { type Digest, digestOf } from './digest.ts'
import type { Target } from './target.ts'

const FLOAT = 'double precision'
/** In SQL of both databases: rows with the same texts have the same hash. */
const NULL = '\x1e'

/** A row in the order of the target's columns. */
export type Row = (string | null)[]

/** A range of primary keys; null: from the first, to the last. */
export interface Range {
  /** The first key, as JSON. */
  start: string | null
  /** The first key after it, as JSON. */
  end: string | null
}

/** A row of the source. */
export interface SourceRow {
  row: Row
  /** The primary key as JSON. */
  key: string
  /** 64 bits of its MD5, as the target computes it. */
  hash: bigint
  /** The text that {@link Table.quick} hashes. */
  text: string
}

/** A table of both databases. */
export type Table = ReturnType<typeof openTable>

/** A column of a table of the target; `place`: in the primary key, -1: it is not of it. */
interface Column {
  table: string
  name: string
  type: string
  place: number
}

/** The columns of all tables of the target, in order. */
export function columnsOf(target: Target): Promise<Column[]> {
  return target.all<Column>(
    `SELECT relname AS table, attname AS name, format_type(atttypid, NULL) AS type,
       coalesce(array_position(indkey::int2[], attnum), -1) AS place
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
       LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
     WHERE relkind = 'r' AND pg_table_is_visible(pg_class.oid) AND attnum > 0 AND NOT attisdropped
       AND relnamespace <> 'pg_catalog'::regnamespace
     ORDER BY attnum`,
  )
}

/**
 * @param all see {@link columnsOf}
 * @throws when the tables have different columns or the target's has no primary key
 */
export function openTable(
  name: string,
  { raw }: SqliteConnection,
  target: Target,
  all: readonly Column[],
) {
  const columns = all.filter(({ table }) => table === name)
  const own = raw.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${name}')`).all()
  const named = (list: readonly { name: string }[]) => `${list.map((column) => column.name).sort()}`
  if (named(own) !== named(columns)) throw new Error(`The tables ${name} of the databases differ`)
  const keys = columns.filter(({ place }) => place >= 0).sort((a, b) => a.place - b.place)
  if (keys.length === 0) throw new Error(`The table ${name} has no primary key`)
  const keyPlaces = keys.map((key) => columns.indexOf(key))
  const list = (of: readonly { name: string }[]) =>
    of.map((column) => `"${column.name}"`).join(', ')
  const keyList = list(keys)

  /** The condition of a range, and its values. */
  function conditionOf({ start, end }: Range) {
    const values: string[] = []
    const bound = (key: string) => {
      const places = (JSON.parse(key) as string[]).map((value) => `$${values.push(value)}`)
      return `(${places.join(', ')})`
    }
    const parts = ['true']
    if (start !== null) parts.push(`(${keyList}) >= ${bound(start)}`)
    if (end !== null) parts.push(`(${keyList}) < ${bound(end)}`)
    return { where: parts.join(' AND '), values }
  }
  function inSource(read: string, range: Range) {
    const condition = conditionOf(range)
    // Numbers, because with `CAST` SQLite would look up a range by the key's first column only.
    const values = condition.values.map((value, i) =>
      keys[i % keys.length]?.type === 'text' ? value : BigInt(value),
    )
    // Qualified: a bare name would be that of the text which is read.
    const order = keys.map((key) => `${name}."${key.name}"`).join(', ')
    const sql = `SELECT ${read} FROM ${name} WHERE ${condition.where} ORDER BY ${order}`
    return { query: raw.query<Record<string, unknown>, (string | bigint)[]>(sql), values }
  }

  // 64-bit values don't fit into a number.
  const texts = columns.map(({ name, type }) =>
    type === FLOAT
      ? `iif("${name}" IS NULL, NULL, replace(format('%!.20g', "${name}"), 'Inf', 'Infinity'))`
      : `CAST("${name}" AS TEXT)`,
  )
  const text = `json_array(${texts.join(', ')})`
  // The databases format floating-point numbers differently, so their bytes are compared.
  const targetTexts = columns.map(({ name, type }) => {
    const text = type === FLOAT ? `encode(float8send("${name}"), 'hex')` : `"${name}"::text`
    return `coalesce(${text}, E'\\x1e')`
  })
  const targetHash = `('x' || left(md5(concat_ws(E'\\x1f', ${targetTexts.join(', ')})), 16))::bit(64)::bigint`

  return {
    name,
    /** The names of all columns, of the primary key, and of the others, in SQL. */
    list: list(columns),
    keyList,
    others: columns.filter((column) => !keys.includes(column)).map(({ name }) => `"${name}"`),
    *rows(range: Range): Generator<SourceRow> {
      const { query, values } = inSource(`${text} AS "text of row"`, range)
      for (const found of query.iterate(...values)) {
        const text = String(found['text of row'])
        const read: Row = JSON.parse(text)
        // PostgreSQL's texts can't contain U+0000; a node strips it too.
        const isClean = !text.includes('\\u0000')
        const row = isClean ? read : read.map((value) => value?.replaceAll('\0', '\uFFFD') ?? null)
        const key = JSON.stringify(keyPlaces.map((place) => row[place]))
        yield { row, key, hash: hashOf(row, columns), text }
      }
    },
    /** The number of rows in the source, and a hash that is only compared with itself. */
    quick(range: Range): { rows: number; quick: string } {
      const quick = createQuick()
      const { query, values } = inSource(text, range)
      for (const [text] of query.values(...values)) quick.add(String(text))
      return quick.value()
    },
    /** The digest of the target's rows, or of those that an `INSERT` writes. */
    async digest(insert?: string): Promise<Digest> {
      const written = insert && `WITH written AS (${insert} RETURNING ${list(columns)})`
      const [row] = await target.all<{ rows: string; sum: string }>(
        `${written ?? ''} SELECT count(*) AS rows, sum(${targetHash})::text AS sum
         FROM ${written ? 'written' : name}`,
      )
      return digestOf(row?.rows, row?.sum)
    },
    /** The keys of the target's rows, and their hashes. */
    async hashes(range: Range): Promise<Map<string, bigint>> {
      const { where, values } = conditionOf(range)
      const key = keys.map(({ name }) => `"${name}"::text`).join(', ')
      // A single row: the driver takes longer for many.
      const [row] = await target.all<{ pairs: [string, string][] | null }>(
        `SELECT json_agg(json_build_array(to_json(ARRAY[${key}])::text, (${targetHash})::text))
           AS pairs FROM ${name} WHERE ${where}`,
        values,
      )
      const pairs = row?.pairs ?? []
      return new Map(pairs.map(([key, hash]) => [key, BigInt.asUintN(64, BigInt(hash))]))
    },
  }
}

/** A hash of texts in their order, and their number. */
export function createQuick() {
  let rows = 0
  let hash = 0n
  return {
    get rows() {
      return rows
    },
    add(text: string): void {
      rows++
      hash = Bun.hash(text, hash) as bigint
    },
    value: () => ({ rows, quick: hash.toString(16) }),
  }
}

const hash = Buffer.alloc(16)
const bytes = Buffer.alloc(8)

/** 64 bits of a row, as in {@link Table.digest}. */
function hashOf(row: Row, columns: readonly { type: string }[]): bigint {
  const texts = row.map((value, at) => {
    if (value === null) return NULL
    if (columns[at]?.type !== FLOAT) return value
    bytes.writeDoubleBE(Number(value))
    return bytes.toString('hex')
  })
  Bun.CryptoHasher.hash('md5', texts.join('\x1f'), hash)
  return hash.readBigUInt64BE(0)
}
