import { createReadStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CLICK_COLUMNS, DAILY_COLUMNS, TEXT_COLUMNS } from '../statistics/columns.ts'
import type { ClickHouse } from '../statistics/engine/clickhouse/client.ts'
import type { Connection, DuckDb } from '../statistics/engine/duckdb/database.ts'
import { type Digest, digestOf, isSame, NONE, plus } from './digest.ts'
import type { Moved, Progress } from './rows.ts'
import type { Target } from './target.ts'

/** The tables, with the column of their time and how much of that is a week. */
const TABLES = [
  { name: 'clicks', columns: CLICK_COLUMNS, time: 'time', week: 7 * 86_400_000 },
  { name: 'daily', columns: DAILY_COLUMNS, time: 'day', week: 7 },
] as const
type Table = (typeof TABLES)[number]

/** Where clicks are moved to. */
export interface ClickStore {
  /** A column as a text of the engine's SQL, and 64 bits of the MD5 of such texts. */
  text(column: string): string
  hash(texts: readonly string[]): string
  divide(column: string, by: number): string
  rows(sql: string): Promise<unknown[][]>
  run(sql: string): Promise<void>
  /** Stores the rows of a CSV file, with `\N` for null. */
  add(table: string, columns: readonly string[], file: string): Promise<void>
  /** All rows are there. */
  finish(): Promise<void>
}

/** What there is of one week: its rows, and its latest time, the watermark of an earlier move. */
interface Week {
  digest: Digest
  last: number
}

/**
 * Makes the store's clicks what the source's are, week by week: a week that is the same stays; to
 * one that is the same up to its watermark, the latest time that the store has, the later clicks
 * are added; any other is replaced.
 * @param before clicks from this time on are left to a later move, as more of them may come
 */
export async function moveClicks(
  database: DuckDb,
  store: ClickStore,
  { before, progress }: { before: number; progress: Progress },
): Promise<Moved[]> {
  const source = await database.connect()
  mkdirSync(database.temporary, { recursive: true, mode: 0o700 })
  const moved: Moved[] = []
  for (const table of TABLES) {
    const { name, columns, time, week: size } = table
    const settled = time === 'time' ? `time < ${before}` : 'true'
    const found = await weeksInStore(store, table)
    const own = await weeksInSource(source, table, { settled, found })
    const changed: number[] = []
    let copied = 0
    for (const no of new Set([...own.keys(), ...found.keys()])) {
      const week = own.get(no)
      const there = found.get(no)
      if (week && there && isSame(week.digest, there.digest)) continue
      changed.push(no)
      const range = `${time} >= ${no * size} AND ${time} < ${(no + 1) * size}`
      const isAdded = week && there && isSame(week.head, there.digest)
      if (there && !isAdded) await store.run(`DELETE FROM ${name} WHERE ${range}`)
      if (!week) continue
      const file = join(database.temporary, `${name}.csv`)
      const values = columns.map((column) => `${exported(column)} AS ${column}`)
      const later = isAdded ? `${time} > ${there.last}` : 'true'
      await source.run(
        `COPY (SELECT ${values.join(', ')} FROM ${name} WHERE ${range} AND ${settled} AND ${later}
         ORDER BY ${time}) TO ${quoted(file)} (FORMAT csv, HEADER false, NULLSTR '\\N')`,
      )
      await store.add(name, columns, file)
      rmSync(file)
      const rows = week.digest.rows - (isAdded ? there.digest.rows : 0)
      copied += rows
      progress(name, rows)
    }
    if (changed.length > 0) {
      const now = await weeksInStore(store, table, changed)
      for (const no of changed) found.delete(no)
      for (const [no, week] of now) found.set(no, week)
    }
    moved.push({ table: name, source: sumOf(own), target: sumOf(found), copied })
  }
  await store.finish()
  return moved
}

async function weeksInStore(
  store: ClickStore,
  { name, columns, time, week }: Table,
  only?: readonly number[],
): Promise<Map<number, Week>> {
  const no = store.divide(time, week)
  const hash = store.hash(
    columns.map((column) =>
      isNullable(column) ? `coalesce(${store.text(column)}, '')` : store.text(column),
    ),
  )
  const where = only === undefined ? '' : `WHERE ${no} IN (${only.join(', ')})`
  const rows = await store.rows(
    `SELECT ${no} AS week, count(*) AS row_count, sum(${hash}) AS hash_sum, max(${time}) AS latest
     FROM ${name} ${where} GROUP BY week`,
  )
  return new Map(
    rows.map(([no, n, sum, last]) => [
      Number(no),
      { digest: digestOf(n, sum), last: Number(last) },
    ]),
  )
}

/** `head` is of the rows up to the watermark of the store. */
async function weeksInSource(
  source: Connection,
  { name, columns, time, week }: Table,
  { settled, found }: { settled: string; found: ReadonlyMap<number, Week> },
): Promise<Map<number, Week & { head: Digest }>> {
  const texts = columns.map((column) => `coalesce((${exported(column)})::VARCHAR, '')`)
  const marks = [[-1, 0], ...[...found].map(([no, { last }]) => [no, last])]
  const isHead = 'FILTER (WHERE moment <= mark)'
  const rows = await source.run(
    `WITH marks (week, mark) AS (VALUES ${marks.map((mark) => `(${mark})`).join(', ')}),
     hashed AS (
       SELECT ${time} // ${week} AS week, ${time} AS moment,
         ('0x' || left(md5(concat_ws(chr(31), ${texts.join(', ')})), 16))::UBIGINT AS hash
       FROM ${name} WHERE ${settled})
     SELECT week, count(*), sum(hash), max(moment), count(*) ${isHead}, sum(hash) ${isHead}
     FROM hashed LEFT JOIN marks USING (week) GROUP BY week ORDER BY week`,
  )
  return new Map(
    rows.map(([no, n, sum, last, headN, headSum]) => [
      Number(no),
      { digest: digestOf(n, sum), last: Number(last), head: digestOf(headN, headSum) },
    ]),
  )
}

/** A column of the source as the other engines have it: signed visitors, no U+0000 in texts. */
function exported(column: string): string {
  if (isText(column)) return `replace(${column}, chr(0), chr(65533))`
  if (column === 'qr') return 'qr::UTINYINT'
  if (column !== 'visitor') return column
  return `CASE WHEN visitor > 9223372036854775807 THEN visitor::HUGEINT - 18446744073709551616
    ELSE visitor::HUGEINT END`
}

function isText(column: string): boolean {
  return (TEXT_COLUMNS as readonly string[]).includes(column)
}

/** Null and an empty text are compared as the same. */
function isNullable(column: string): boolean {
  return isText(column) || column === 'visitor'
}

function sumOf(weeks: ReadonlyMap<number, Week>): Digest {
  return [...weeks.values()].reduce((sum, { digest }) => plus(sum, digest), NONE)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Clicks in PostgreSQL's own tables. */
export function clicksInPostgres(target: Target): ClickStore {
  return {
    text: (column) => `${column}${column === 'qr' ? '::int' : ''}::text`,
    hash: (texts) =>
      `('x' || left(md5(concat_ws(E'\\x1f', ${texts.join(', ')})), 16))::bit(64)::bigint`,
    divide: (column, by) => `${column} / ${by}`,
    rows: async (sql) => (await target.all<object>(sql)).map((row) => Object.values(row)),
    run: async (sql) => void (await target.all(sql)),
    add: (table, columns, file) =>
      target.copy(
        `COPY ${table} (${columns.join(', ')}) FROM STDIN (FORMAT csv, NULL '\\N')`,
        createReadStream(file),
      ),
    async finish() {
      for (const { name } of TABLES) await target.all(`ANALYZE ${name}`)
    },
  }
}

/** Clicks in ClickHouse, whose tables exist. */
export function clicksInClickHouse(clickHouse: ClickHouse): ClickStore {
  return {
    text: (column) => `toString(${column === 'qr' ? 'toUInt8(qr)' : column})`,
    hash: (texts) =>
      `reinterpretAsUInt64(reverse(substring(MD5(concatWithSeparator(char(31),
       ${texts.join(', ')})), 1, 8)))`,
    divide: (column, by) => `intDiv(${column}, ${by})`,
    rows: (sql) => clickHouse.rows(sql),
    run: (sql) => clickHouse.command(sql, { lightweight_deletes_sync: '2' }),
    add: (table, columns, file) =>
      // Rows that were deleted and are sent again are no repetition.
      clickHouse.insert(table, columns, 'CSV', createReadStream(file), {
        insert_deduplicate: 0,
        max_partitions_per_insert_block: '0',
        async_insert: 0,
        wait_end_of_query: 1,
      }),
    async finish() {
      // Reports read a day from its totals or from its clicks: before this day, from the totals.
      await clickHouse.command(
        'INSERT INTO purged (workspace, before) SELECT workspace, max(day) + 1 FROM daily GROUP BY workspace',
      )
    },
  }
}
