import { createReadStream } from 'node:fs'
import { CLICK_COLUMNS, DAILY_COLUMNS, TEXT_COLUMNS } from '../../statistics/columns.ts'
import type { ClickHouse } from '../../statistics/engine/clickhouse/client.ts'
import type { Moved } from './digest.ts'
import { changed, type Mark, type Marks } from './marks.ts'
import type { Target } from './target.ts'

/**
 * The tables, in parts: hours of clicks, days of totals. `time` and `size` give a row's part.
 * `identity` has what tells rows apart: a stored row is never changed, only deleted. `position`
 * orders a part's rows as they are stored, in DuckDB's SQL.
 */
export const CLICK_TABLES = [
  {
    name: 'clicks',
    columns: CLICK_COLUMNS,
    time: 'time',
    size: 3_600_000,
    identity: 'workspace, link, time, n, visitor, kind, qr, domain',
    position: '((time::HUGEINT << 64) + n)',
  },
  {
    name: 'daily',
    columns: DAILY_COLUMNS,
    time: 'day',
    size: 1,
    identity: DAILY_COLUMNS.join(', '),
    position: '0',
  },
] as const
export type ClickTable = (typeof CLICK_TABLES)[number]

/** Rows of a part: those after a position, or all. */
export interface Wanted {
  no: number
  after: string | null
}

/** An engine with these tables, and its SQL. */
export interface Engine {
  /** A column as text, the same in every engine. */
  text(column: string): string
  /** 64 bits of the MD5 of texts. */
  hash(texts: string): string
  divide(column: string, by: number): string
  rows(sql: string): Promise<unknown[][]>
}

/** The engine that clicks are moved to. */
export interface ClickStore extends Engine {
  /**
   * Empties a table without marks. Returns parts that have rows but no mark.
   * @throws OperatorError when others have written to it
   */
  prepare(table: ClickTable, marks: ReadonlyMap<number, Mark>): Promise<number[]>
  /** Changes rows and their marks, in one transaction if the engine has them. */
  write(marks: Marks, work: () => Promise<void>): Promise<void>
  remove(table: ClickTable, parts: readonly number[]): Promise<void>
  /** Inserts the rows of a CSV file, in which `\N` is null. */
  add(table: string, columns: readonly string[], file: string): Promise<void>
  /** Called after the last row. */
  finish(moved: readonly Moved[]): Promise<void>
}

/** A condition for rows, in every engine. */
export function selectionOf(
  { time, size }: ClickTable,
  wanted: readonly Wanted[],
  { divide }: Pick<Engine, 'divide'>,
): string {
  const part = divide(time, size)
  const whole = wanted.filter(({ after }) => after === null).map(({ no }) => no)
  const parts = whole.length > 0 ? [`${part} IN (${whole.join(', ')})`] : []
  for (const { no, after } of wanted) {
    if (after === null) continue
    const at = BigInt(after) >> 64n
    const n = BigInt.asUintN(64, BigInt(after))
    parts.push(`${part} = ${no} AND (time > ${at} OR time = ${at} AND n > ${n})`)
  }
  const either = parts.map((text) => `(${text})`).join(' OR ')
  return `${boundsOf({ time, size }, wanted)} AND (${either})`
}

/** A condition that rows of other times don't fulfil, which engines evaluate quickly. */
export function boundsOf(
  { time, size }: Pick<ClickTable, 'time' | 'size'>,
  wanted: readonly Wanted[],
): string {
  const first = wanted.reduce((least, { no }) => Math.min(least, no), Number.POSITIVE_INFINITY)
  const last = wanted.reduce((most, { no }) => Math.max(most, no), Number.NEGATIVE_INFINITY)
  return `${time} >= ${first * size} AND ${time} < ${(last + 1) * size}`
}

/** The query of the digests of parts that fulfil a condition. */
export function digestSql(
  { name, columns, time, size }: ClickTable,
  { text, hash, divide }: Engine,
  condition: string,
): string {
  // Null and an empty text compare as equal.
  const texts = columns.map((column) => `coalesce(${text(column)}, '')`).join(', ')
  return `SELECT ${divide(time, size)} AS part, count(*) AS row_count, sum(${hash(texts)}) AS hash_sum
    FROM ${name} WHERE ${condition} GROUP BY part`
}

/** A column in the form of the other engines: signed visitors, no U+0000 in texts. */
export function exported(column: string): string {
  if (TEXT_COLUMNS.some((text) => text === column)) return `replace(${column}, chr(0), chr(65533))`
  if (column === 'qr') return 'qr::UTINYINT'
  if (column !== 'visitor') return column
  return `CASE WHEN visitor > 9223372036854775807 THEN visitor::HUGEINT - 18446744073709551616
    ELSE visitor::HUGEINT END`
}

/** The statistics file. */
export function duckDbEngine(rows: Engine['rows']): Engine {
  return {
    text: (column) => `(${exported(column)})::VARCHAR`,
    hash: (texts) => `('0x' || left(md5(concat_ws(chr(31), ${texts})), 16))::UBIGINT`,
    divide: (column, by) => `${column} // ${by}`,
    rows,
  }
}

/** Clicks in PostgreSQL's own tables. */
export function clicksInPostgres(target: Target): ClickStore {
  return {
    text: (column) => `${column}${column === 'qr' ? '::int' : ''}::text`,
    hash: (texts) => `('x' || left(md5(concat_ws(E'\\x1f', ${texts})), 16))::bit(64)::bigint`,
    divide: (column, by) => `${column} / ${by}`,
    rows: async (sql) => (await target.all<object>(sql)).map((row) => Object.values(row)),
    async prepare({ name }, marks) {
      // Of a table with marks, `assertOurs` has checked that it has only their rows.
      if (marks.size === 0) await target.all(`TRUNCATE ${name}`)
      return []
    },
    write: (marks, work) => marks.transaction(work),
    async remove({ name, time, size }, parts) {
      await target.all(`DELETE FROM ${name} WHERE ${time} / ${size} = ANY ($1::bigint[])`, [parts])
    },
    add: (table, columns, file) =>
      target.copy(
        `COPY ${table} (${columns.join(', ')}) FROM STDIN (FORMAT csv, NULL '\\N')`,
        createReadStream(file),
      ),
    async finish(moved) {
      // Fewer new rows change no plan: autovacuum counts them, and does it when they have become many.
      const grown = moved.filter(({ copied, source }) => copied > source.rows / 20)
      for (const { table } of grown) await target.all(`ANALYZE ${table}`)
    },
  }
}

/** Clicks in ClickHouse, whose tables exist. */
export function clicksInClickHouse(clickHouse: ClickHouse): ClickStore {
  const divide = (column: string, by: number) => `intDiv(${column}, ${by})`
  return {
    text: (column) => `toString(${column === 'qr' ? 'toUInt8(qr)' : column})`,
    hash: (texts) =>
      `reinterpretAsUInt64(reverse(substring(MD5(concatWithSeparator(char(31), ${texts})), 1, 8)))`,
    divide,
    rows: (sql) => clickHouse.rows(sql),
    async prepare({ name, time, size }, marks) {
      if (marks.size === 0) {
        await clickHouse.command(`TRUNCATE TABLE ${name}`)
        return []
      }
      const rows = await clickHouse.rows(
        `SELECT ${divide(time, size)} AS part, count(*) AS row_count FROM ${name} GROUP BY part`,
      )
      const found = new Map(rows.map(([no, count]) => [Number(no), Number(count)]))
      for (const { no, rows } of marks.values()) if (found.get(no) !== rows) throw changed(name)
      return [...found.keys()].filter((no) => !marks.has(no))
    },
    // Marks are removed before, and added after their rows: see `prepare`.
    write: (_, work) => work(),
    async remove({ name, time, size }, parts) {
      await clickHouse.command(
        `DELETE FROM ${name} WHERE ${divide(time, size)} IN (${parts.join(', ')})`,
        { lightweight_deletes_sync: '2' },
      )
    },
    add: (table, columns, file) =>
      // Rows inserted again after a deletion must not be deduplicated.
      clickHouse.insert(table, columns, 'CSV', createReadStream(file), {
        insert_deduplicate: 0,
        max_partitions_per_insert_block: '0',
        async_insert: 0,
        wait_end_of_query: 1,
      }),
    async finish() {
      // Reports read days before this one from the totals, later ones from the clicks.
      await clickHouse.command(
        'INSERT INTO purged (workspace, before) SELECT workspace, max(day) + 1 FROM daily GROUP BY workspace',
      )
    },
  }
}
