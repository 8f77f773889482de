import { createReadStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CLICK_COLUMNS, DAILY_COLUMNS, TEXT_COLUMNS } from '../../statistics/columns.ts'
import type { ClickHouse } from '../../statistics/engine/clickhouse/client.ts'
import type { DuckDb } from '../../statistics/engine/duckdb/index.ts'
import { type Digest, digestOf, isSame, type Moved, NONE, type Progress, plus } from './rows.ts'
import type { Target } from './target.ts'

/** The tables, with their time column and the length of a week in its unit. */
const TABLES = [
  { name: 'clicks', columns: CLICK_COLUMNS, time: 'time', week: 7 * 86_400_000 },
  { name: 'daily', columns: DAILY_COLUMNS, time: 'day', week: 7 },
] as const
type Table = (typeof TABLES)[number]

/** An engine with these tables, and its SQL. */
interface Engine {
  /** A column as text, the same in every engine. */
  text(column: string): string
  /** 64 bits of the MD5 of texts. */
  hash(texts: string): string
  divide(column: string, by: number): string
  rows(sql: string): Promise<unknown[][]>
}

/** The engine that clicks are moved to. */
interface ClickStore extends Engine {
  run(sql: string): Promise<void>
  /** Inserts the rows of a CSV file, in which `\N` is null. */
  add(table: string, columns: readonly string[], file: string): Promise<void>
  /** Called after the last row. */
  finish(): Promise<void>
}

/** Copies the clicks week by week: a week that differs is replaced. */
export async function moveClicks(
  database: DuckDb,
  store: ClickStore,
  progress: Progress,
): Promise<Moved[]> {
  const connection = await database.connect()
  const source: Engine = {
    text: (column) => `(${exported(column)})::VARCHAR`,
    hash: (texts) => `('0x' || left(md5(concat_ws(chr(31), ${texts})), 16))::UBIGINT`,
    divide: (column, by) => `${column} // ${by}`,
    rows: (sql) => connection.run(sql),
  }
  mkdirSync(database.temporary, { recursive: true, mode: 0o700 })
  const moved: Moved[] = []
  for (const table of TABLES) {
    const { name, columns, time, week } = table
    const own = await weeksOf(source, table)
    const found = await weeksOf(store, table)
    const isChanged = (no: number) => !isSame(own.get(no) ?? NONE, found.get(no) ?? NONE)
    const changed = [...new Set([...own.keys(), ...found.keys()])].filter(isChanged)
    const values = columns.map((column) => `${exported(column)} AS ${column}`).join(', ')
    const file = join(database.temporary, `${name}.csv`)
    let copied = 0
    for (const no of changed) {
      const range = `${time} >= ${no * week} AND ${time} < ${(no + 1) * week}`
      if (found.has(no)) await store.run(`DELETE FROM ${name} WHERE ${range}`)
      const rows = own.get(no)?.rows
      if (rows === undefined) continue
      await connection.run(
        `COPY (SELECT ${values} FROM ${name} WHERE ${range} ORDER BY ${time}) TO '${file.replaceAll("'", "''")}'
         (FORMAT csv, HEADER false, NULLSTR '\\N')`,
      )
      await store.add(name, columns, file)
      rmSync(file)
      copied += rows
      progress(name, rows)
    }
    const now = changed.length > 0 ? await weeksOf(store, table) : found
    const sumOf = (weeks: typeof own) => [...weeks.values()].reduce(plus, NONE)
    moved.push({ table: name, source: sumOf(own), target: sumOf(now), copied })
  }
  await store.finish()
  return moved
}

/** The digest of the rows of each week. */
async function weeksOf(
  { text, hash, divide, rows }: Engine,
  { name, columns, time, week }: Table,
): Promise<Map<number, Digest>> {
  // Null and an empty text compare as equal.
  const texts = columns.map((column) => `coalesce(${text(column)}, '')`).join(', ')
  const found = await rows(
    `SELECT ${divide(time, week)} AS week, count(*) AS row_count,
       sum(${hash(texts)}) AS hash_sum
     FROM ${name} GROUP BY week ORDER BY week`,
  )
  return new Map(found.map(([no, n, sum]) => [Number(no), digestOf(n, sum)]))
}

/** A column in the form of the other engines: signed visitors, no U+0000 in texts. */
function exported(column: string): string {
  if (TEXT_COLUMNS.some((text) => text === column)) return `replace(${column}, chr(0), chr(65533))`
  if (column === 'qr') return 'qr::UTINYINT'
  if (column !== 'visitor') return column
  return `CASE WHEN visitor > 9223372036854775807 THEN visitor::HUGEINT - 18446744073709551616
    ELSE visitor::HUGEINT END`
}

/** Clicks in PostgreSQL's own tables. */
export function clicksInPostgres(target: Target): ClickStore {
  return {
    text: (column) => `${column}${column === 'qr' ? '::int' : ''}::text`,
    hash: (texts) => `('x' || left(md5(concat_ws(E'\\x1f', ${texts})), 16))::bit(64)::bigint`,
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
      `reinterpretAsUInt64(reverse(substring(MD5(concatWithSeparator(char(31), ${texts})), 1, 8)))`,
    divide: (column, by) => `intDiv(${column}, ${by})`,
    rows: (sql) => clickHouse.rows(sql),
    run: (sql) => clickHouse.command(sql, { lightweight_deletes_sync: '2' }),
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
