import { createReadStream } from 'node:fs'
import { CLICK_COLUMNS, DAILY_COLUMNS, TEXT_COLUMNS } from '../statistics/columns.ts'
import { type ClickStore, type ClickTable, signed } from './clicks.ts'
import { digestOf, hashSql } from './digest.ts'
import type { Target } from './target.ts'

const BYTES_AT_ONCE = 262_144
const DAY_MS = 86_400_000
/** What stands for U+0000, which PostgreSQL's texts can't hold. */
const NO_NUL = 'chr(65533)'

/** The tables, their columns in the order of the file, and what is hashed. */
const TABLES: Record<ClickTable, { name: string; columns: string; day: string; text: string }> = {
  clicks: {
    name: 'clicks',
    columns: CLICK_COLUMNS.join(', '),
    day: `time / ${DAY_MS}`,
    text: `concat_ws(E'\\x1f', link, time, n, coalesce(visitor::text, ''), kind, qr::int,
      domain, ${TEXT_COLUMNS.map((name) => `coalesce(${name}, '')`).join(', ')})`,
  },
  daily: {
    name: 'daily',
    columns: DAILY_COLUMNS.join(', '),
    day: 'day',
    text: "concat_ws(E'\\x1f', link, day, kind, clicks, uniques, workspace_uniques)",
  },
}

const FORMS: Record<ClickTable, string> = {
  clicks: CLICK_COLUMNS.map((name) => (name === 'visitor' ? signed(name) : name)).join(', '),
  daily: DAILY_COLUMNS.join(', '),
}

/** Clicks in PostgreSQL's own tables. */
export function clicksInPostgres(target: Target): ClickStore {
  return {
    form: (table) => ({
      columns: FORMS[table],
      options: "FORMAT csv, HEADER false, NULLSTR '\\N'",
    }),
    async prepare(source) {
      for (const name of TEXT_COLUMNS) {
        const text = `replace(${name}, chr(0), ${NO_NUL})`
        await source.run(`UPDATE clicks SET ${name} = ${text} WHERE contains(${name}, chr(0))`)
      }
    },
    async days(table, only) {
      const { name, day, text } = TABLES[table]
      const rows = await target.all<{ day: string; rows: string; sum: string }>(
        `SELECT ${day} AS day, count(*) AS rows, sum(${hashSql(text)})::text AS sum FROM ${name}
         WHERE $1::bigint[] IS NULL OR ${day} = ANY($1::bigint[]) GROUP BY 1`,
        [only ?? null],
      )
      return new Map(rows.map((row) => [Number(row.day), digestOf(row.rows, row.sum)]))
    },
    async remove(table, days) {
      const { name, day } = TABLES[table]
      await target.all(`DELETE FROM ${name} WHERE ${day} = ANY($1::bigint[])`, [days])
    },
    async add(table, file) {
      const { name, columns } = TABLES[table]
      await target.copy(
        `COPY ${name} (${columns}) FROM STDIN (FORMAT csv, NULL '\\N')`,
        createReadStream(file, { highWaterMark: BYTES_AT_ONCE }),
      )
    },
    async finish() {
      for (const { name } of Object.values(TABLES)) await target.all(`ANALYZE ${name}`)
    },
  }
}
