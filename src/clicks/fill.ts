import { sql } from 'kysely'
import {
  areUnfilled,
  databaseFiles,
  openSqlite,
  SEQS_PER_WORKSPACE,
  type SqliteConnection,
  setFilled,
} from '../platform/storage/index.ts'
import { VISITOR_DAYS } from './counters.ts'
import { MONTHS_KEPT, monthOf } from './months.ts'
import { each } from './rows.ts'
import type { Position } from './segments.ts'
import { shortVisitor } from './visitor-bits.ts'
import { dayOf } from './visitors.ts'

/** Rows of one statement. */
const ROWS_AT_ONCE = 10_000
const SEQS = sql.raw(String(SEQS_PER_WORKSPACE))

/** A row that counters are filled with: see `CountersLine` in statistics/engine/types.ts. */
export type FilledRow =
  | ['link', linkSeq: number, human: number, bot: number, unique: number, last: number]
  | ['visitor', day: number, linkSeq: number, bits: string]
  | ['month', workspaceNo: number, month: number, clicks: number]

/** Gives the numbers of all stored clicks, as of a position in the journal, which it returns. */
export type ReadStored = (
  sinceDay: number,
  sinceMonth: number,
  take: (row: FilledRow) => void,
) => Promise<Position>

/** Whether the counters of a data directory are new, and to be filled from the stored clicks. */
export function mustFill(dataDir: string): boolean {
  const counters = openSqlite(databaseFiles(dataDir).counters)
  try {
    return areUnfilled(counters)
  } finally {
    counters.close()
  }
}

/**
 * Fills new counters from the stored clicks: as if the journal had been counted up to where it is
 * stored. Clicks that are only counted are not stored, so they are missing.
 */
export async function fillCounters(dataDir: string, read: ReadStored, now: number): Promise<void> {
  const rows: Record<FilledRow[0], unknown[][]> = { link: [], visitor: [], month: [] }
  const take = ([kind, ...values]: FilledRow) => void rows[kind].push(values)
  const { segment, offset } = await read(
    dayOf(now) - VISITOR_DAYS,
    monthOf(now) - MONTHS_KEPT,
    take,
  )
  const { main, counters } = databaseFiles(dataDir)
  const connection = openSqlite(counters)
  const { raw, db, close } = connection
  try {
    raw.run('ATTACH ? AS links_file', [main])
    raw.run('BEGIN IMMEDIATE')
    if (areUnfilled(connection)) {
      await insertLinks(connection, rows.link)
      const visitors = rows.visitor.map(([day, seq, bits]) => [
        day,
        seq,
        shortVisitor(BigInt(bits as string)),
      ])
      await insert(connection, sql`link_visitors (day, link_seq, visitor)`, visitors)
      await insert(connection, sql`workspace_months (workspace_no, month, clicks)`, rows.month)
      await sql`UPDATE journal_watermark SET segment = ${segment}, "offset" = ${offset}`.execute(db)
      setFilled(connection)
    }
    raw.run('COMMIT')
  } finally {
    if (raw.inTransaction) raw.run('ROLLBACK')
    close()
  }
}

/** Without those of purged links. */
async function insertLinks({ db }: SqliteConnection, rows: readonly unknown[][]): Promise<void> {
  for (const part of partsOf(rows)) {
    await sql`INSERT INTO link_counters
        (link_seq, workspace_no, total, human, bot, unique_visitors, last_clicked_at, imported)
      SELECT v.seq, v.seq / ${SEQS}, v.human + v.bot, v.human, v.bot, v.seen, v.last,
        coalesce(l.imported_clicks, 0)
      FROM (SELECT value->>0 AS seq, value->>1 AS human, value->>2 AS bot, value->>3 AS seen,
          value->>4 AS last FROM ${each({ dialect: 'sqlite', db }, part)}) v
        LEFT JOIN links l ON l.seq = v.seq
      WHERE l.seq IS NOT NULL OR EXISTS (SELECT 1 FROM deleted_links d WHERE d.seq = v.seq)`.execute(
      db,
    )
  }
}

async function insert(
  { db }: SqliteConnection,
  table: ReturnType<typeof sql>,
  rows: readonly unknown[][],
): Promise<void> {
  for (const part of partsOf(rows)) {
    await sql`INSERT INTO ${table} SELECT value->>0, value->>1, value->>2
      FROM ${each({ dialect: 'sqlite', db }, part)}`.execute(db)
  }
}

function* partsOf(rows: readonly unknown[][]) {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE)
}
