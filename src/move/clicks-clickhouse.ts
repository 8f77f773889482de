import { createReadStream } from 'node:fs'
import type { ClickHouse } from '../statistics/clickhouse/client.ts'
import { COLUMNS } from '../statistics/clickhouse/schema.ts'
import { numbers, raw, sql } from '../statistics/clickhouse/sql.ts'
import type { StatisticsConnection } from '../statistics/store/duckdb.ts'
import { SLOTS_PER_DAY, TEXT_COLUMNS, TIME_SQL } from '../statistics/store/schema.ts'
import { SEQS_PER_WORKSPACE } from '../storage/index.ts'
import type { ClickStore, ClickTable, Days } from './clicks.ts'
import { digestOf } from './digest.ts'

const DAY_MS = 86_400_000
const SEQ = `toInt64(workspace) * ${SEQS_PER_WORKSPACE} + link`

/** The tables, their columns in the order of the file, and what is hashed. */
const TABLES: Record<
  ClickTable,
  { from: string; columns: readonly string[]; day: string; text: readonly string[] }
> = {
  clicks: {
    from: 'clicks',
    columns: COLUMNS,
    day: `intDiv(time, ${DAY_MS})`,
    text: [
      `toString(${SEQ})`,
      'toString(time)',
      'toString(n)',
      "if(visitor = 0, '', toString(reinterpretAsInt64(visitor)))",
      'toString(kind)',
      'toString(toUInt8(qr))',
      'toString(domain)',
      ...TEXT_COLUMNS.map((name) => `toString(${name})`),
    ],
  },
  daily: {
    from: 'daily FINAL',
    columns: ['workspace', 'link', 'day', 'kind', 'clicks', 'uniques', 'workspace_uniques'],
    day: 'day',
    text: [SEQ, 'day', 'kind', 'clicks', 'uniques', 'workspace_uniques'].map(
      (column) => `toString(${column})`,
    ),
  },
}

const HALVES = 'link >> 32 AS workspace, link & 4294967295 AS link'
const FORMS: Record<ClickTable, string> = {
  clicks: `${HALVES}, ${TIME_SQL} AS time, n, coalesce(visitor, 0) AS visitor, kind, qr, domain,
    ${TEXT_COLUMNS.map((name) => `coalesce(${name}, '') AS ${name}`).join(', ')}`,
  daily: `${HALVES}, day, kind, clicks, uniques, workspace_uniques`,
}

/** A number that no visitor of a day has: they are counted from 0, or are 64 bits of a hash. */
const FIRST_VISITOR = 2n ** 64n - 1n

/** Before which day each workspace's clicks are told by their days' totals alone. */
const BOUNDARIES = `SELECT link >> 32 AS workspace, max(day) + 1 AS before FROM daily GROUP BY ALL`

/** Clicks in ClickHouse, whose tables exist. */
export function clicksInClickHouse(clickHouse: ClickHouse): ClickStore {
  return {
    form: (table) => ({ columns: FORMS[table], options: 'FORMAT parquet' }),
    async prepare(source) {
      await foldLateClicks(source)
      // The first visitor of a day whose visitors are numbered, where 0 stands for nobody.
      await source.run(`UPDATE clicks SET visitor = ${FIRST_VISITOR} WHERE visitor = 0`)
    },
    async days(table, only) {
      const { from, day, text } = TABLES[table]
      const where = only === undefined ? raw('') : sql`WHERE ${raw(day)} IN (${numbers(only)})`
      const hash = `reinterpretAsUInt64(reverse(substring(MD5(concatWithSeparator(char(31),
        ${text.join(', ')})), 1, 8)))`
      const found: Days = new Map()
      const asked = sql`SELECT ${raw(day)} AS day, count(), sum(${raw(hash)}) FROM ${raw(from)}
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
      await clickHouse.load(
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
      const wanted = await source.all<{ workspace: bigint; before: number }>(BOUNDARIES)
      const known = new Map(
        (
          await clickHouse.rows(sql`SELECT workspace, max(before) FROM purged GROUP BY workspace`)
        ).map(([workspace, before]) => [Number(workspace), Number(before)] as const),
      )
      const lines = wanted
        .filter(({ workspace, before }) => known.get(Number(workspace)) !== before)
        .map(({ workspace, before }) => `[${workspace},${before}]\n`)
      if (lines.length > 0) await clickHouse.insert('purged', ['workspace', 'before'], lines)
    },
  }
}

/**
 * Of a day whose totals are kept, ClickHouse's reports read the totals alone. Clicks that came late,
 * after their day was purged, are added to them, as the source's next purge would do.
 */
async function foldLateClicks(source: StatisticsConnection): Promise<void> {
  const late = `clicks JOIN (${BOUNDARIES}) b
    ON (link >> 32) = workspace AND slot < before * ${SLOTS_PER_DAY}`
  await source.run('BEGIN')
  await source.run(`CREATE OR REPLACE TEMP TABLE late AS
    SELECT link, (slot // ${SLOTS_PER_DAY})::INTEGER AS day, kind, count(*) AS clicks,
      sum((firsts >> 1) & 1) AS uniques, sum(firsts & 1) AS workspace_uniques
    FROM ${late} GROUP BY ALL`)
  await source.run(`DELETE FROM clicks USING (${BOUNDARIES}) b
    WHERE (link >> 32) = b.workspace AND slot < b.before * ${SLOTS_PER_DAY}`)
  await source.run('INSERT INTO daily SELECT * FROM late')
  await source.run('COMMIT')
}
