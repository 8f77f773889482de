import { rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Position } from '../../../clicks/segments.ts'
import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import { KIND, TEXT_COLUMNS } from '../../columns.ts'
import { createParameters } from '../../reports/bind.ts'
import type { StoredClick } from '../../types.ts'
import { monthAfter, monthOf } from '../shared/months.ts'
import type { ClickWriter } from '../types.ts'
import { type Connection, type DuckDb, quoted } from './database.ts'
import { dialect } from './dialect.ts'
import { CLICK_TYPES } from './schema.ts'

/** Clicks of one INSERT: what is not committed yet takes memory. */
const CLICKS_AT_ONCE = 20_000
/** Bounds DuckDB's read buffers; a click has some kilobytes at most. */
const LINE_BYTES_AT_MOST = 1_048_576

/** Writes batches from a file of JSON lines, which takes less time than DuckDB's appender. */
export async function createClickWriter(database: DuckDb): Promise<ClickWriter> {
  const connection = await database.connect()
  const file = join(database.temporary, 'batch.ndjson')
  const columns = Object.entries(CLICK_TYPES).map(([name, type]) => `${name}: '${type}'`)
  const insert = `INSERT INTO clicks BY NAME SELECT * FROM read_json(${quoted(file)},
    format = 'newline_delimited', maximum_object_size = ${LINE_BYTES_AT_MOST},
    columns = {${columns.join(', ')}})`
  const [state] = await connection.run('SELECT segment, "offset", since FROM state')
  const [segment, offset, stored] = (state as unknown[]).map(Number) as [number, number, number]
  let watermark: Position = { segment, offset }
  let since = stored
  let newest = await newestTime(connection)

  async function insertAll(clicks: readonly StoredClick[]): Promise<void> {
    try {
      for (let at = 0; at < clicks.length; at += CLICKS_AT_ONCE) {
        const lines = clicks.slice(at, at + CLICKS_AT_ONCE).map(lineOf)
        await writeFile(file, lines.join(''), { mode: 0o600 })
        await connection.run(insert)
      }
    } finally {
      rmSync(file, { force: true })
    }
  }

  return {
    get watermark() {
      return watermark
    },
    get since() {
      return since
    },
    async write(clicks, to, origin) {
      const times = rangeOf(clicks)
      await connection.transaction(async () => {
        await number(connection, clicks, newest)
        await insertAll(clicks)
        await reopenMonths(connection, times)
        await connection.run(`UPDATE state SET segment = ${to.segment}, "offset" = ${to.offset},
          since = ${origin?.since ?? since}`)
      })
      watermark = to
      since = origin?.since ?? since
      newest = Math.max(newest, times.latest)
    },
  }
}

/** Numbers clicks of one millisecond, after those that are stored. */
async function number(
  connection: Connection,
  clicks: readonly StoredClick[],
  newest: number,
): Promise<void> {
  const next = new Map<number, number>()
  const late = clicks.filter(({ time }) => time <= newest).map(({ time }) => time)
  if (late.length > 0) {
    const { bind, values } = createParameters(dialect)
    const rows = await connection.run(
      `SELECT time, max(n) FROM clicks WHERE time >= ${late.reduce((a, b) => Math.min(a, b))}
        AND ${dialect.among('time', late, bind)} GROUP BY time`,
      values,
    )
    for (const [time, last] of rows) next.set(Number(time), Number(last) + 1)
  }
  for (const click of clicks) {
    click.n = next.get(click.time) ?? 0
    next.set(click.time, click.n + 1)
  }
}

/** A closed month that gets a late click is sorted again. */
async function reopenMonths(
  connection: Connection,
  { earliest, latest }: ReturnType<typeof rangeOf>,
): Promise<void> {
  const months: number[] = []
  for (let month = monthOf(earliest); month <= latest; month = monthAfter(month)) months.push(month)
  if (months.length === 0) return
  await connection.run(`DELETE FROM closed_months WHERE month IN (${months.join(', ')})`)
}

function rangeOf(clicks: readonly StoredClick[]): { earliest: number; latest: number } {
  let earliest = Number.POSITIVE_INFINITY
  let latest = 0
  for (const { time } of clicks) {
    if (time < earliest) earliest = time
    if (time > latest) latest = time
  }
  return { earliest, latest }
}

function lineOf(click: StoredClick): string {
  const line: Record<string, unknown> = {
    workspace: Math.floor(click.linkSeq / SEQS_PER_WORKSPACE),
    link: click.linkSeq,
    time: click.time,
    n: click.n,
    visitor: click.visitor === null ? null : String(click.visitor),
    kind: KIND[click.kind],
    qr: click.trigger === 'qr',
    domain: click.domainNo,
  }
  // DuckDB refuses JSON with half a surrogate pair.
  for (const name of TEXT_COLUMNS) line[name] = click[name]?.toWellFormed()
  return `${JSON.stringify(line)}\n`
}

async function newestTime(connection: Connection): Promise<number> {
  const [row] = await connection.run('SELECT max(time) FROM clicks')
  return Number(row?.[0] ?? 0)
}
