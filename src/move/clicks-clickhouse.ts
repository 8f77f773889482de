import { createReadStream } from 'node:fs'
import { CLICK_COLUMNS, DAILY_COLUMNS, TEXT_COLUMNS } from '../statistics/columns.ts'
import type { ClickHouse } from '../statistics/engine/clickhouse/client.ts'
import type { Connection } from '../statistics/engine/duckdb/database.ts'
import { purgedDaysSql } from '../statistics/engine/purged-days.ts'
import { type ClickStore, type ClickTable, type Days, signed } from './clicks.ts'
import { digestOf } from './digest.ts'

const DAY_MS = 86_400_000

/** The tables, their columns in the order of the file, and what is hashed. */
const TABLES: Record<
  ClickTable,
  { from: string; columns: readonly string[]; day: string; text: readonly string[] }
> = {
  clicks: {
    from: 'clicks',
    columns: CLICK_COLUMNS,
    day: `intDiv(time, ${DAY_MS})`,
    text: [
      'toString(link)',
      'toString(time)',
      'toString(n)',
      "coalesce(toString(visitor), '')",
      'toString(kind)',
      'toString(toUInt8(qr))',
      'toString(domain)',
      ...TEXT_COLUMNS.map((name) => `coalesce(${name}, '')`),
    ],
  },
  daily: {
    from: 'daily FINAL',
    columns: DAILY_COLUMNS,
    day: 'day',
    text: ['link', 'day', 'kind', 'clicks', 'uniques', 'workspace_uniques'].map(
      (column) => `toString(${column})`,
    ),
  },
}

const FORMS: Record<ClickTable, string> = {
  clicks: CLICK_COLUMNS.map((name) =>
    name === 'visitor' ? `(${signed(name)})::BIGINT AS visitor` : name,
  ).join(', '),
  daily: DAILY_COLUMNS.join(', '),
}

/** Before which day each workspace's clicks are told by their days' totals alone. */
const BOUNDARIES = `SELECT workspace, max(day) + 1 AS before FROM daily GROUP BY ALL`

/** Clicks in ClickHouse, whose tables exist. */
export function clicksInClickHouse(clickHouse: ClickHouse): ClickStore {
  return {
    form: (table) => ({ columns: FORMS[table], options: 'FORMAT parquet' }),
    async prepare(source) {
      await foldLateClicks(source)
    },
    async days(table, only) {
      const { from, day, text } = TABLES[table]
      const where = only === undefined ? '' : `WHERE ${day} IN (${only.join(',') || 'NULL'})`
      const hash = `reinterpretAsUInt64(reverse(substring(MD5(concatWithSeparator(char(31),
        ${text.join(', ')})), 1, 8)))`
      const found: Days = new Map()
      const asked = `SELECT ${day} AS day, count(), sum(${hash}) FROM ${from}
        ${where} GROUP BY day`
      for await (const rows of clickHouse.stream(asked, new AbortController().signal)) {
        for (const [no, count, sum] of rows) found.set(Number(no), digestOf(count, sum))
      }
      return found
    },
    async remove(table, days) {
      const { from, day } = TABLES[table]
      await clickHouse.command(
        `DELETE FROM ${from.replace(' FINAL', '')} WHERE ${day} IN (${days.join(', ')})`,
        { lightweight_deletes_sync: '2' },
      )
    },
    async add(table, file) {
      const { from, columns } = TABLES[table]
      await clickHouse.insert(
        from.replace(' FINAL', ''),
        columns,
        'Parquet',
        createReadStream(file),
        {
          // What a move that was killed has begun is deleted and sent again: that is no repetition.
          insert_deduplicate: 0,
          max_partitions_per_insert_block: '0',
          async_insert: 0,
          wait_end_of_query: 1,
        },
      )
    },
    async finish(source) {
      const wanted = (await source.run(BOUNDARIES)).map((row) => row.map(Number))
      const known = new Map(
        (await clickHouse.rows('SELECT workspace, max(before) FROM purged GROUP BY workspace')).map(
          ([workspace, before]) => [Number(workspace), Number(before)] as const,
        ),
      )
      const lines = wanted
        .filter(([workspace, before]) => known.get(Number(workspace)) !== before)
        .map((row) => `${JSON.stringify(row)}\n`)
      if (lines.length > 0) {
        await clickHouse.insert('purged', ['workspace', 'before'], 'JSONCompactEachRow', lines)
      }
    },
  }
}

/**
 * Of a day whose totals are kept, ClickHouse's reports read the totals alone. Clicks that came late,
 * after their day was purged, are added to them, as the source's next purge would do.
 */
async function foldLateClicks(source: Connection): Promise<void> {
  const isLate = `(workspace, time // ${DAY_MS}) IN
    (SELECT (c.workspace, c.time // ${DAY_MS}) FROM clicks c JOIN (${BOUNDARIES}) b
      ON c.workspace = b.workspace AND c.time < b.before * ${DAY_MS})`
  await source.run('BEGIN')
  await source.run(`INSERT INTO daily ${purgedDaysSql('clicks', isLate)}`)
  await source.run(`DELETE FROM clicks WHERE ${isLate}`)
  await source.run('COMMIT')
}
