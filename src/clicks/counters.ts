import { sql } from 'kysely'
import { SEQS_PER_WORKSPACE } from '../platform/storage/index.ts'
import { addMonths, type ClickLimits, purgeMonths, readQuotas } from './months.ts'
import { each, type RowsDatabase, readWatermark } from './rows.ts'
import { BARE } from './tally.ts'
import type { Batch, CounterStore, Tally } from './types.ts'
import { shortVisitor, visitorBits } from './visitor-bits.ts'
import { dayOf } from './visitors.ts'

/** Days before today whose visitors are kept, for clicks that are counted late. */
export const VISITOR_DAYS = 2
const ROWS_AT_ONCE = 20_000
const SWEPT_AT_ONCE = 2_000
const PURGED_AT_ONCE = 20_000
const WORKSPACES_AT_ONCE = 100
/** How often a worker checks for maintenance work. */
export const MAINTAIN_EVERY_MS = 1_000
const SEQS = sql.raw(String(SEQS_PER_WORKSPACE))

/** A database with counters: what differs between SQLite and PostgreSQL. */
export interface CounterDatabase extends RowsDatabase {
  /** This node's number; 0: a single machine. */
  readonly nodeNo: number
  /** Runs a transaction. Its first statement must be a write. */
  write<T>(work: (tx: RowsDatabase) => Promise<T>): Promise<T>
  /** Whether this process maintains the counters now, exclusively for this long. */
  lease(forMs: number): Promise<boolean>
  /** Called after a write. */
  written(): void
  close(): void | Promise<void>
}

/** Other nodes have counted so many clicks in the meantime that the batch would exceed a quota. */
class QuotaPassed extends Error {}

/** Opens the counters of a database. */
export function createCounters(database: CounterDatabase, limits: ClickLimits): CounterStore {
  const { db, nodeNo, write, lease } = database
  let maintainedAt = Number.NEGATIVE_INFINITY
  let isLeft = false
  let sweptTo = 0
  const table = sql.table(nodeNo === 0 ? 'journal_watermark' : 'node_watermarks')
  const own = nodeNo === 0 ? sql`id = 1` : sql`node_no = ${nodeNo}`

  /** Compares the next rows with their links, of which a message may have been missed. */
  async function sweep(): Promise<void> {
    const rows = await db
      .selectFrom('link_counters')
      .select('link_seq')
      .where('link_seq', '>', sweptTo)
      .orderBy('link_seq')
      .limit(SWEPT_AT_ONCE)
      .execute()
    const seqs = rows.map(({ link_seq }) => link_seq)
    sweptTo = seqs.length < SWEPT_AT_ONCE ? 0 : (seqs.at(-1) as number)
    if (seqs.length > 0) await followLinks(database, seqs)
  }

  return {
    watermark: () => readWatermark({ db }, nodeNo),
    quotas: (months) => readQuotas(database, limits, months),
    async apply(batch) {
      const { tally, from, to } = batch
      const isApplied = await write(async (tx) => {
        const moved = await sql`UPDATE ${table} SET segment = ${to.segment}, "offset" = ${to.offset}
          WHERE ${own} AND segment = ${from.segment} AND "offset" = ${from.offset}
          RETURNING 1`.execute(tx.db)
        if (moved.rows.length === 0) return false
        // All nodes lock in the same order: visitors, links, then months, each by key.
        await addClicks(tx, batch, await addVisitors(tx, tally))
        if (!(await addMonths(tx, nodeNo, batch))) throw new QuotaPassed()
        return true
      }).catch((error: unknown) => {
        if (error instanceof QuotaPassed) return false
        throw error
      })
      if (isApplied) database.written()
      return isApplied
    },
    async maintain(changed, now) {
      if (changed.length > 0) await followLinks(database, changed)
      database.written()
      if (!isLeft && performance.now() - maintainedAt < MAINTAIN_EVERY_MS) return 'later'
      maintainedAt = performance.now()
      // The node that has begun continues, so that many new links soon have their rows.
      if (!isLeft && !(await lease(MAINTAIN_EVERY_MS))) return 'later'
      isLeft = await addMissingRows(database)
      await sweep()
      await sql`DELETE FROM link_visitors WHERE (day, link_seq, visitor) IN
        (SELECT day, link_seq, visitor FROM link_visitors WHERE day < ${dayOf(now) - VISITOR_DAYS}
          LIMIT ${PURGED_AT_ONCE})`.execute(db)
      await purgeMonths(db, now)
      return isLeft ? 'some' : 'none'
    },
    close: database.close,
  }
}

/** Links as a table with the column `seq`. */
function seqsIn(database: RowsDatabase, seqs: readonly number[]) {
  const rows = seqs.map((seq) => [seq])
  return sql`(SELECT CAST(value->>0 AS BIGINT) AS seq FROM ${each(database, rows)}) seqs`
}

/** New visitors of links, and how many of them are only counted. */
type UniqueVisitors = Map<number, { all: number; bare: number }>

/**
 * Adds the visitors of a batch. Returns how many were new, by link. A node that inserts the same
 * visitor concurrently waits and finds it.
 */
async function addVisitors(tx: RowsDatabase, { visitors }: Tally): Promise<UniqueVisitors> {
  const unique: UniqueVisitors = new Map()
  if (visitors.size === 0) return unique
  // All nodes insert them in the same order.
  const seen = [...visitors].sort().map((visitor) => visitor.split(' '))
  // Of those whose clicks filled counters that were made anew, only a part of the hash is known.
  const isNew =
    tx.dialect === 'postgres'
      ? sql`true`
      : sql`NOT EXISTS (SELECT 1 FROM link_visitors f WHERE f.day = value->>0
          AND f.link_seq = value->>1 AND f.visitor = value->>3)`
  const listed = tx.dialect === 'postgres' ? seen : seen.map(withShort)
  const { rows } = await sql<{ link_seq: number; visitor: string }>`
    INSERT INTO link_visitors (day, link_seq, visitor)
    SELECT CAST(value->>0 AS BIGINT), CAST(value->>1 AS BIGINT), value->>2
    FROM ${each(tx, listed)} WHERE ${isNew}
    ON CONFLICT DO NOTHING RETURNING link_seq, visitor`.execute(tx.db)
  for (const { link_seq, visitor } of rows) {
    const { all, bare } = unique.get(link_seq) ?? { all: 0, bare: 0 }
    unique.set(link_seq, { all: all + 1, bare: bare + Number(visitor.startsWith(BARE)) })
  }
  return unique
}

/** Adds what `fillCounters` knows of a visitor. */
function withShort(row: string[]): unknown[] {
  const bits = visitorBits(row[2] as string)
  return [...row, bits === null ? null : shortVisitor(bits)]
}

async function addClicks(
  tx: RowsDatabase,
  { tally: { links }, latest }: Batch,
  unique: UniqueVisitors,
): Promise<void> {
  if (links.size === 0) return
  const sorted = [...links].sort(([a], [b]) => a - b)
  const seqs = sorted.map(([seq]) => seq)
  await addMissing(tx, seqs)
  await lockRows(tx, seqs)
  const added = sorted.map(([seq, { human, bot, bareHuman, bareBot, lastClickedAt }]) => {
    const { all = 0, bare = 0 } = unique.get(seq) ?? {}
    return [seq, human, bot, all, Math.min(lastClickedAt, latest), bareHuman, bareBot, bare]
  })
  await sql`
    UPDATE link_counters AS c SET total = c.total + g.human + g.bot, human = c.human + g.human,
      bot = c.bot + g.bot, unique_visitors = c.unique_visitors + g.seen,
      bare_human = c.bare_human + g.bare_human, bare_bot = c.bare_bot + g.bare_bot,
      bare_unique = c.bare_unique + g.bare_unique,
      last_clicked_at = CASE WHEN c.last_clicked_at > g.last AND c.last_clicked_at <= ${latest}
        THEN c.last_clicked_at ELSE g.last END
    FROM (SELECT CAST(value->>0 AS BIGINT) AS seq, CAST(value->>1 AS BIGINT) AS human,
        CAST(value->>2 AS BIGINT) AS bot, CAST(value->>3 AS BIGINT) AS seen,
        CAST(value->>4 AS BIGINT) AS last, CAST(value->>5 AS BIGINT) AS bare_human,
        CAST(value->>6 AS BIGINT) AS bare_bot, CAST(value->>7 AS BIGINT) AS bare_unique
        FROM ${each(tx, added)}) g
    WHERE c.link_seq = g.seq`.execute(tx.db)
}

/** All nodes lock the rows of links in this order. */
async function lockRows(tx: RowsDatabase, seqs: readonly number[]): Promise<void> {
  if (tx.dialect === 'sqlite') return
  await sql`SELECT count(*) FROM (SELECT 1 FROM link_counters
    WHERE link_seq IN (SELECT seq FROM ${seqsIn(tx, seqs)})
    ORDER BY link_seq FOR NO KEY UPDATE) l`.execute(tx.db)
}

/** Adds rows for links without one. Clicks of purged links are scheduled for deletion. */
async function addMissing(tx: RowsDatabase, seqs: readonly number[]): Promise<void> {
  const missing = sql`FROM ${seqsIn(tx, seqs)}
    WHERE NOT EXISTS (SELECT 1 FROM link_counters WHERE link_seq = seq)`
  await sql`INSERT INTO link_counters (link_seq, workspace_no)
    SELECT seq, seq / ${SEQS} ${missing}
      AND (EXISTS (SELECT 1 FROM links l WHERE l.seq = seqs.seq)
        OR EXISTS (SELECT 1 FROM deleted_links d WHERE d.seq = seqs.seq))
    ORDER BY seq ON CONFLICT DO NOTHING`.execute(tx.db)
  // On a single machine the statistics find purged links by themselves.
  if (tx.dialect === 'sqlite') return
  await sql`INSERT INTO gone_links (link_seq) SELECT seq ${missing}
    ORDER BY seq ON CONFLICT DO NOTHING`.execute(tx.db)
}

/** Adapts the rows of links to what they are now. */
async function followLinks(database: CounterDatabase, seqs: readonly number[]): Promise<void> {
  await removeGone(database, seqs)
  await copyImported(database, seqs)
}

/** Copies the imported clicks of links to their rows, where an index has the sum of both. */
async function copyImported(database: CounterDatabase, seqs: readonly number[]): Promise<void> {
  const { rows } = await sql<{ seq: number }>`
    SELECT l.seq AS seq FROM ${seqsIn(database, seqs)} JOIN links l ON l.seq = seqs.seq
      JOIN link_counters c ON c.link_seq = seqs.seq
    WHERE c.imported <> l.imported_clicks`.execute(database.db)
  if (rows.length === 0) return
  const changed = rows.map(({ seq }) => seq)
  await database.write(async (tx) => {
    await lockRows(tx, changed)
    await sql`UPDATE link_counters SET imported = l.imported_clicks FROM links l
      WHERE l.seq = link_seq AND link_seq IN (SELECT seq FROM ${seqsIn(tx, changed)})`.execute(
      tx.db,
    )
  })
}

/** Deletes the counters of purged links, and schedules their stored clicks for deletion. */
async function removeGone(database: CounterDatabase, seqs: readonly number[]): Promise<void> {
  await database.write(async (tx) => {
    const remove = sql`DELETE FROM link_counters
      WHERE link_seq IN (SELECT seq FROM ${seqsIn(tx, seqs)})
        AND NOT EXISTS (SELECT 1 FROM links l WHERE l.seq = link_seq)
        AND NOT EXISTS (SELECT 1 FROM deleted_links d WHERE d.seq = link_seq)`
    const removeAndNote = sql`WITH gone AS (${remove} RETURNING link_seq)
      INSERT INTO gone_links (link_seq) SELECT link_seq FROM gone ORDER BY link_seq
      ON CONFLICT DO NOTHING`
    await (tx.dialect === 'sqlite' ? remove : removeAndNote).execute(tx.db)
  })
}

/** Adds rows of zeros for new links of some workspaces. True: there are more. */
async function addMissingRows({ db, write }: CounterDatabase): Promise<boolean> {
  const { rows } = await sql<{ no: number; done: number; last: number }>`
    SELECT * FROM (
      SELECT w.no, coalesce(c.link_seq, w.no * ${SEQS}) AS done,
        w.no * ${SEQS} + w.links_made AS last
      FROM workspaces w LEFT JOIN counter_watermarks c ON c.workspace_no = w.no
      WHERE w.links_made > 0) w
    WHERE done < last LIMIT ${WORKSPACES_AT_ONCE}`.execute(db)
  let isLeft = rows.length === WORKSPACES_AT_ONCE
  for (const { no, done, last } of rows) {
    const upTo = Math.min(last, done + ROWS_AT_ONCE)
    if (upTo < last) isLeft = true
    await write(async (tx) => {
      // Deleted links too: they may be restored after the watermark has passed them. A link that
      // was clicked before has a row.
      await sql`INSERT INTO link_counters (link_seq, workspace_no, imported)
        SELECT seq, seq / ${SEQS}, imported FROM (
          SELECT seq, imported_clicks AS imported FROM links WHERE seq > ${done} AND seq <= ${upTo}
          UNION ALL SELECT seq, 0 FROM deleted_links WHERE seq > ${done} AND seq <= ${upTo}) made
        WHERE true ORDER BY seq
        ON CONFLICT (link_seq) DO UPDATE SET imported = excluded.imported`.execute(tx.db)
      await sql`INSERT INTO counter_watermarks (workspace_no, link_seq) VALUES (${no}, ${upTo})
        ON CONFLICT (workspace_no) DO UPDATE SET link_seq = excluded.link_seq
        WHERE counter_watermarks.link_seq < excluded.link_seq`.execute(tx.db)
    })
  }
  return isLeft
}
