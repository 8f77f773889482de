import { sql } from 'kysely'
import { SEQS_PER_WORKSPACE, type Storage, type Transaction } from '../storage/index.ts'
import type { CounterStore } from './counting.ts'
import { acquireLease } from './leases.ts'
import { addMonths, type ClickLimits, purgeMonths, readQuotas } from './months.ts'
import type { Position } from './segments.ts'
import type { Tally } from './tally.ts'

const DAY_MS = 86_400_000
/** Days before today whose visitors are kept, for clicks that are counted late. */
const VISITOR_DAYS = 2
const ADMITTED_AT_ONCE = 20_000
const SWEPT_AT_ONCE = 2_000
const PURGED_AT_ONCE = 20_000
const WORKSPACES_AT_ONCE = 100
/** How often a node looks whether there is something to maintain. */
const MAINTAIN_EVERY_MS = 1_000
/** How long one node alone does a task. */
const LEASE_MS = { admit: 2_000, sweep: 1_000, visitors: 2_000 }

/** What {@link createPostgresCounters} works with. `nodeNo`: this node's row in `node_watermarks`. */
export interface PostgresCountersOptions {
  storage: Pick<Storage, 'read' | 'write' | 'close'>
  nodeNo: number
  limits?: ClickLimits
}

/** Other nodes have counted so many clicks meanwhile that the batch would pass a quota. */
class QuotaPassed extends Error {}

/** Opens the counters that all nodes share. Takes the storage over. */
export function createPostgresCounters(options: PostgresCountersOptions): CounterStore {
  const { storage, nodeNo, limits = {} } = options
  let maintainedAt = Number.NEGATIVE_INFINITY
  let isLeft = false
  let sweptTo = 0

  /** Looks for links that are gone for good in the next rows. */
  async function sweep(): Promise<void> {
    const { rows } = await sql<{ link_seq: number }>`SELECT link_seq FROM link_counters
      WHERE link_seq > ${sweptTo} ORDER BY link_seq LIMIT ${SWEPT_AT_ONCE}`.execute(storage.read.db)
    const seqs = rows.map(({ link_seq }) => link_seq)
    sweptTo = seqs.length < SWEPT_AT_ONCE ? 0 : (seqs.at(-1) as number)
    if (seqs.length > 0) await storage.write((tx) => removeGone(tx, seqs))
  }

  return {
    // A transaction holds the rows of its links locked, so it must not take seconds.
    batch: { size: 100_000, bytes: 67_108_864 },
    async watermark() {
      const { rows } = await sql<Position>`SELECT segment, "offset" FROM node_watermarks
        WHERE node_no = ${nodeNo}`.execute(storage.read.db)
      return rows[0] ?? { segment: 0, offset: 0 }
    },
    quotas: (months) =>
      readQuotas(limits, { main: storage.read.db, counters: storage.read.db }, months),
    async apply(batch) {
      const { tally, from, to, latest } = batch
      const write = storage.write(async (tx) => {
        const moved = await sql`UPDATE node_watermarks
          SET segment = ${to.segment}, "offset" = ${to.offset}
          WHERE node_no = ${nodeNo} AND segment = ${from.segment} AND "offset" = ${from.offset}
          RETURNING 1`.execute(tx.db)
        if (moved.rows.length === 0) return false
        // All nodes take these locks in the same order: visitors, links, then months, by their keys.
        const unique = await addVisitors(tx, tally)
        await addClicks(tx, tally, unique, latest)
        if (!(await addMonths(tx.db, nodeNo, batch))) throw new QuotaPassed()
        return true
      })
      return write.catch((error: unknown) => {
        if (error instanceof QuotaPassed) return false
        throw error
      })
    },
    async maintain(deleted, now) {
      if (deleted.length > 0) await storage.write((tx) => removeGone(tx, deleted))
      if (!isLeft && performance.now() - maintainedAt < MAINTAIN_EVERY_MS) return false
      maintainedAt = performance.now()
      // The node that has begun goes on, so that many new links have their rows soon.
      isLeft =
        isLeft || (await acquireLease(storage, 'admit', LEASE_MS.admit))
          ? await admit(storage)
          : false
      if (await acquireLease(storage, 'sweep', LEASE_MS.sweep)) await sweep()
      if (await acquireLease(storage, 'visitors', LEASE_MS.visitors)) {
        await purgeVisitors(storage, Math.floor(now / DAY_MS) - VISITOR_DAYS)
        await purgeMonths(storage.read.db, now)
      }
      return isLeft
    },
    close: () => storage.close(),
  }
}

async function purgeVisitors({ read }: Pick<Storage, 'read'>, before: number): Promise<void> {
  await sql`DELETE FROM link_visitors WHERE (day, link_seq, visitor) IN
    (SELECT day, link_seq, visitor FROM link_visitors WHERE day < ${before}
      LIMIT ${PURGED_AT_ONCE})`.execute(read.db)
}

/** Adds rows of zeros for new links. True: there are more. */
async function admit(storage: Pick<Storage, 'read' | 'write'>): Promise<boolean> {
  const { rows } = await sql<{ no: number; done: number; last: number }>`
    SELECT * FROM (
      SELECT w.no, coalesce(c.link_seq, w.no * ${SEQS_PER_WORKSPACE}::bigint) AS done,
        w.no * ${SEQS_PER_WORKSPACE}::bigint + w.links_made AS last
      FROM workspaces w LEFT JOIN counter_watermarks c ON c.workspace_no = w.no
      WHERE w.links_made > 0) w
    WHERE done < last LIMIT ${WORKSPACES_AT_ONCE}`.execute(storage.read.db)
  let isLeft = rows.length === WORKSPACES_AT_ONCE
  for (const { no, done, last } of rows) {
    const read = await storage.write((tx) => admitWorkspace(tx, no, done, last))
    if (read === ADMITTED_AT_ONCE) isLeft = true
  }
  return isLeft
}

/**
 * Adds the visitors of a batch. Returns how many were new, by link. A node that inserts the same
 * visitor at the same time waits and finds it.
 */
async function addVisitors(tx: Transaction, tally: Tally): Promise<ReadonlyMap<number, number>> {
  const days: number[] = []
  const seqs: number[] = []
  const visitors: string[] = []
  const add = (day: number, seq: number, visitor: string) => {
    days.push(day)
    seqs.push(seq)
    visitors.push(visitor)
  }
  for (const [seq, { day, visitors: seen }] of tally.links) {
    if (day === -1) continue
    if (typeof seen === 'string') add(day, seq, seen)
    else for (const visitor of seen) add(day, seq, visitor)
  }
  for (const { seq, day, visitor } of tally.others) add(day, seq, visitor)
  if (days.length === 0) return new Map()
  const { rows } = await sql<{ link_seq: number; n: number }>`
    WITH new AS (
      INSERT INTO link_visitors (day, link_seq, visitor)
      SELECT d, l, v
      FROM unnest(${list(days)}::bigint[], ${list(seqs)}::bigint[], ${list(visitors)}::text[])
        AS t(d, l, v)
      ORDER BY d, l, v COLLATE "C"
      ON CONFLICT DO NOTHING RETURNING link_seq
    )
    SELECT link_seq, count(*)::bigint AS n FROM new GROUP BY link_seq`.execute(tx.db)
  return new Map(rows.map(({ link_seq, n }) => [link_seq, n]))
}

async function addClicks(
  tx: Transaction,
  { links }: Tally,
  unique: ReadonlyMap<number, number>,
  latest: number,
): Promise<void> {
  const seqs = [...links.keys()].sort((a, b) => a - b)
  const of = (value: (seq: number) => number) => list(seqs.map(value))
  const given = sql`SELECT * FROM unnest(${list(seqs)}::bigint[],
      ${of((seq) => links.get(seq)?.human ?? 0)}::bigint[],
      ${of((seq) => links.get(seq)?.bot ?? 0)}::bigint[],
      ${of((seq) => unique.get(seq) ?? 0)}::bigint[],
      ${of((seq) => Math.min(links.get(seq)?.lastClickedAt ?? 0, latest))}::bigint[])
    AS g(seq, human, bot, seen, last)`
  // Rows for links that have none yet. Clicks of links that are gone for good are to be deleted.
  await sql`
    WITH missing AS (
      SELECT seq FROM unnest(${list(seqs)}::bigint[]) seq
      WHERE NOT EXISTS (SELECT 1 FROM link_counters WHERE link_seq = seq)
    ), known AS (
      SELECT seq FROM missing WHERE EXISTS (SELECT 1 FROM links l WHERE l.seq = missing.seq)
        OR EXISTS (SELECT 1 FROM deleted_links d WHERE d.seq = missing.seq)
    ), added AS (
      INSERT INTO link_counters (link_seq, workspace_no)
      SELECT seq, seq / ${SEQS_PER_WORKSPACE}::bigint FROM known ORDER BY seq
      ON CONFLICT DO NOTHING
    )
    INSERT INTO gone_links (link_seq)
    SELECT seq FROM missing WHERE seq NOT IN (SELECT seq FROM known) ORDER BY seq
    ON CONFLICT DO NOTHING`.execute(tx.db)
  await sql`SELECT count(*) FROM (SELECT 1 FROM link_counters
    WHERE link_seq = ANY(${list(seqs)}::bigint[]) ORDER BY link_seq FOR NO KEY UPDATE) l`.execute(
    tx.db,
  )
  await sql`
    UPDATE link_counters c SET total = c.total + g.human + g.bot, human = c.human + g.human,
      bot = c.bot + g.bot, unique_visitors = c.unique_visitors + g.seen,
      last_clicked_at = greatest(CASE WHEN c.last_clicked_at <= ${latest}::bigint
        THEN c.last_clicked_at END, g.last)
    FROM (${given}) g WHERE c.link_seq = g.seq`.execute(tx.db)
}

/** Adds rows for a workspace's links behind its watermark. Returns how many links it has read. */
async function admitWorkspace(
  tx: Transaction,
  no: number,
  done: number,
  last: number,
): Promise<number> {
  // Deleted links too: they may be restored behind the watermark.
  const { rows } = await sql<{ n: number; newest: number | null }>`
    WITH page AS (
      SELECT seq FROM links WHERE seq > ${done} AND seq <= ${last}
      UNION ALL SELECT seq FROM deleted_links WHERE seq > ${done} AND seq <= ${last}
      ORDER BY seq LIMIT ${ADMITTED_AT_ONCE}
    ), added AS (
      INSERT INTO link_counters (link_seq, workspace_no) SELECT seq, ${no} FROM page ORDER BY seq
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::bigint AS n, max(seq) AS newest FROM page`.execute(tx.db)
  const { n = 0, newest = null } = rows[0] ?? {}
  // When all were read, links that were deleted in between are passed, too.
  const upTo = n < ADMITTED_AT_ONCE ? last : (newest ?? last)
  await sql`INSERT INTO counter_watermarks (workspace_no, link_seq) VALUES (${no}, ${upTo})
    ON CONFLICT (workspace_no) DO UPDATE
    SET link_seq = greatest(counter_watermarks.link_seq, excluded.link_seq)`.execute(tx.db)
  return n
}

/** Removes the counters of those links that are gone for good, and has their clicks deleted. */
async function removeGone(tx: Transaction, seqs: readonly number[]): Promise<void> {
  await sql`
    WITH gone AS (
      DELETE FROM link_counters c WHERE link_seq = ANY(${list(seqs)}::bigint[])
        AND NOT EXISTS (SELECT 1 FROM links WHERE seq = c.link_seq)
        AND NOT EXISTS (SELECT 1 FROM deleted_links d WHERE d.seq = c.link_seq)
      RETURNING link_seq
    )
    INSERT INTO gone_links (link_seq) SELECT link_seq FROM gone ORDER BY link_seq
    ON CONFLICT DO NOTHING`.execute(tx.db)
}

/** A list as PostgreSQL reads arrays: one parameter, whatever its length. Values need no quotes. */
function list(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`
}
