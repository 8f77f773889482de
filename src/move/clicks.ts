import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { TEXT_COLUMNS } from '../statistics/columns.ts'
import type { Connection, DuckDb } from '../statistics/engine/duckdb/database.ts'
import { type Digest, digestOf, isSame, NONE, plus } from './digest.ts'
import type { Moved, Progress } from './rows.ts'

/** Clicks of some days that are copied at once, about: days of one month, which lie together. */
const AT_ONCE = 1_000_000

/** Clicks, and totals of days whose clicks are gone. */
export type ClickTable = 'clicks' | 'daily'

/** Days since the Unix epoch, and what there is of each. */
export type Days = Map<number, Digest>

/** Where clicks are moved to. */
export interface ClickStore {
  /** How the file of some rows is written, and from which columns, in DuckDB's words. */
  form(table: ClickTable): { columns: string; options: string }
  /** Prepares the copy of the source, before anything is compared. */
  prepare(source: Connection): Promise<void>
  /** What there is; `only`: of these days. */
  days(table: ClickTable, only?: readonly number[]): Promise<Days>
  remove(table: ClickTable, days: readonly number[]): Promise<void>
  /** Stores a file's rows. */
  add(table: ClickTable, file: string): Promise<void>
  /** All rows are there. */
  finish(source: Connection): Promise<void>
}

/** Totals of days, a row for each link, day and kind: the file may hold several. */
const TOTALS = 'moved_daily'

/** What rows are hashed as; the stores say it in their own words. */
const HASHED: Record<ClickTable, { from: string; day: string; text: string }> = {
  clicks: {
    from: 'clicks',
    day: `time // 86400000`,
    text: `concat_ws(chr(31), link, time, n, coalesce((${signed('visitor')})::VARCHAR, ''), kind,
      qr::UTINYINT, domain, ${TEXT_COLUMNS.map((name) => `coalesce(${name}, '')`).join(', ')})`,
  },
  daily: {
    from: TOTALS,
    day: 'day',
    text: 'concat_ws(chr(31), link, day, kind, clicks, uniques, workspace_uniques)',
  },
}

/** 64 bits as a signed number, in DuckDB. */
export function signed(column: string): string {
  return `CASE WHEN ${column} < 9223372036854775808 THEN ${column}::HUGEINT
    ELSE ${column}::HUGEINT - 18446744073709551616 END`
}

/**
 * Makes the store's clicks what the source's are, day by day: days that are the same are left
 * alone, others are stored anew.
 */
export async function moveClicks(
  source: DuckDb,
  store: ClickStore,
  { progress }: { progress: Progress },
): Promise<Moved[]> {
  const connection = await source.connect()
  mkdirSync(source.temporary, { recursive: true, mode: 0o700 })
  await store.prepare(connection)
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${TOTALS} AS
    SELECT workspace, link, day, kind, sum(clicks)::BIGINT AS clicks, sum(uniques)::BIGINT AS uniques,
      sum(workspace_uniques)::BIGINT AS workspace_uniques
    FROM daily GROUP BY workspace, link, day, kind`)
  const moved: Moved[] = []
  for (const table of ['clicks', 'daily'] as const) {
    // Both databases at once: the one waits for the other's answer.
    const [own, found] = await Promise.all([daysOf(connection, table), store.days(table)])
    const differing = [...new Set([...own.keys(), ...found.keys()])]
      .filter((day) => !isSame(own.get(day) ?? NONE, found.get(day) ?? NONE))
      .sort((a, b) => a - b)
    const stale = differing.filter((day) => found.has(day))
    if (stale.length > 0) await store.remove(table, stale)
    let copied = 0
    for (const [days, rows] of batchesOf(differing, own)) {
      const file = join(source.temporary, table)
      const { columns, options } = store.form(table)
      const { from, day } = HASHED[table]
      await connection.run(
        `COPY (SELECT ${columns} FROM ${from} WHERE ${day} IN (${days.join(', ')})
          AND ${day} BETWEEN ${days[0]} AND ${days.at(-1)}) TO '${file.replaceAll("'", "''")}' (${options})`,
      )
      await store.add(table, file)
      rmSync(file)
      copied += rows
      progress(table, rows)
    }
    const checked = differing.length === 0 ? new Map() : await store.days(table, differing)
    const differs = new Set(differing)
    const same = [...found].filter(([day]) => !differs.has(day))
    moved.push({
      table,
      source: sumOf(own.values()),
      target: sumOf([...same.map(([, digest]) => digest), ...checked.values()]),
      copied,
    })
  }
  await store.finish(connection)
  connection.close()
  return moved
}

async function daysOf(connection: Connection, table: ClickTable): Promise<Days> {
  const { from, day, text } = HASHED[table]
  const rows = await connection.run(
    `SELECT ${day} AS day, count(*) AS rows,
       sum(('0x' || left(md5(${text}), 16))::UBIGINT)::VARCHAR AS sum
     FROM ${from} GROUP BY ALL`,
  )
  return new Map(rows.map(([day, count, sum]) => [Number(day), digestOf(count, sum)]))
}

/** Days of one month each, some rows at a time. */
function* batchesOf(days: readonly number[], own: Days): Generator<[number[], number], undefined> {
  let batch: number[] = []
  let rows = 0
  let month = -1
  for (const day of days) {
    const count = own.get(day)?.rows ?? 0
    if (count === 0) continue
    const next = monthOf(day)
    if (batch.length > 0 && (next !== month || rows + count > AT_ONCE)) {
      yield [batch, rows]
      batch = []
      rows = 0
    }
    month = next
    batch.push(day)
    rows += count
  }
  if (batch.length > 0) yield [batch, rows]
  return undefined
}

function monthOf(day: number): number {
  const date = new Date(day * 86_400_000)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function sumOf(digests: Iterable<Digest>): Digest {
  let sum = NONE
  for (const digest of digests) sum = plus(sum, digest)
  return sum
}
