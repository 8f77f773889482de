import { rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { type CLICK_COLUMNS, KIND_NAMES, TEXT_COLUMNS } from '../../columns.ts'
import { monthAfter, monthOf } from '../../intervals.ts'
import type { StoredClick } from '../../types.ts'
import type { ShippingOptions } from '../shared/shipping.ts'
import { daysOf, unsettleSql } from '../shared/summing.ts'
import { quoted } from './database.ts'
import { CLICK_TYPES } from './schema.ts'
import type { Connection, DuckDb } from './types.ts'

/** Clicks of one INSERT: what is not committed yet takes memory. */
const CLICKS_AT_ONCE = 20_000
/** From so many on it pays to store them on one thread. */
const MANY_CLICKS = 2_000
/** Bounds DuckDB's read buffers; a click has some kilobytes at most. */
const LINE_BYTES_AT_MOST = 1_048_576

/** Where a single machine's journal is stored: a batch and its end are committed together. */
export async function createDuckDbTarget(
  database: DuckDb,
): Promise<Pick<ShippingOptions, 'nodeNo' | 'load' | 'store'>> {
  const connection = await database.connect()
  return {
    nodeNo: 0,
    async load() {
      const rows = await connection.run(
        'SELECT segment, "offset", batches, newest, since FROM state',
      )
      const [segment = 0, offset = 0, batches = 0, newest = 0, since = 0] = rows.flat().map(Number)
      return { at: { segment, offset }, pending: null, batches, newest, since }
    },
    async store(clicks, _from, { at, batches, newest, since }) {
      const stored = () =>
        connection.transaction(async () => {
          await insertClicks(database, connection, clicks)
          await reopenMonths(connection, clicks)
          const finished = daysOf(clicks)
          if (finished.length > 0) await connection.run(unsettleSql(finished))
          await connection.run(`UPDATE state SET segment = ${at.segment}, "offset" = ${at.offset},
            batches = ${batches}, newest = ${newest}, since = ${since}`)
        })
      // To change the threads takes a millisecond.
      if (clicks.length < MANY_CLICKS) await stored()
      else await database.onOneThread(connection, stored)
      return true
    },
  }
}

/** Adds clicks to the table, from files of JSON lines: DuckDB's appender takes more time. */
export async function insertClicks(
  { temporary }: DuckDb,
  connection: Connection,
  clicks: readonly StoredClick[],
): Promise<void> {
  const file = join(temporary, 'batch.ndjson')
  const columns = Object.entries(CLICK_TYPES).map(([name, type]) => `${name}: '${type}'`)
  try {
    for (let at = 0; at < clicks.length; at += CLICKS_AT_ONCE) {
      const lines = clicks.slice(at, at + CLICKS_AT_ONCE).map(lineOf)
      await writeFile(file, lines.join(''), { mode: 0o600 })
      await connection.run(`INSERT INTO clicks BY NAME SELECT * FROM read_json(${quoted(file)},
        format = 'newline_delimited', maximum_object_size = ${LINE_BYTES_AT_MOST},
        columns = {${columns.join(', ')}})`)
    }
  } finally {
    rmSync(file, { force: true })
  }
}

/** A closed month that gets a late click is sorted again. */
async function reopenMonths(connection: Connection, clicks: readonly StoredClick[]): Promise<void> {
  const [earliest, latest] = clicks.reduce(
    ([first, last], { time }) => [Math.min(first, time), Math.max(last, time)],
    [Number.POSITIVE_INFINITY, 0],
  ) as [number, number]
  const months: number[] = []
  for (let month = monthOf(earliest); month <= latest; month = monthAfter(month)) months.push(month)
  if (months.length === 0) return
  await connection.run(`DELETE FROM closed_months WHERE month IN (${months.join(', ')})`)
}

function lineOf(click: StoredClick): string {
  const { linkSeq, time, n, visitor, kind, trigger, domainNo } = click
  const line: Partial<Record<(typeof CLICK_COLUMNS)[number], unknown>> = {
    workspace: Math.floor(linkSeq / SEQS_PER_WORKSPACE),
    link: linkSeq,
    time,
    n,
    // DuckDB's column is unsigned.
    visitor: visitor?.toString(),
    kind: KIND_NAMES.indexOf(kind),
    qr: trigger === 'qr',
    domain: domainNo,
  }
  // What is null is left out: most of a click's texts are, and both sides then have less to do.
  for (const name of TEXT_COLUMNS) {
    // DuckDB refuses JSON with half a surrogate pair.
    if (click[name] !== null) line[name] = click[name].toWellFormed()
  }
  return `${JSON.stringify(line)}\n`
}
