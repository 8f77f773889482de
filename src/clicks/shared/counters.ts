import { sql } from 'kysely'
import { SEQS_PER_WORKSPACE, type Storage, type Transaction } from '../../storage/index.ts'
import type { Position } from '../segments.ts'
import type { Tally } from '../tally.ts'
import { visitorBits } from '../visitor-bits.ts'
import { takeOn } from './chores.ts'

const DAY_MS = 86_400_000
/** Days take turns in so many parts of `link_visitors`: two that are needed, one that is empty. */
const SLOTS = 3
/** So often, at most, some node looks for new links, and for old ones. */
const ADMIT_EVERY_MS = 2_000
const SWEEP_EVERY_MS = 1_000
const PURGE_EVERY_MS = 600_000
const WORKSPACES_AT_ONCE = 100

/**
 * The counters that all nodes' click workers keep together in PostgreSQL. Everything throws
 * StorageUnavailable.
 */
export interface SharedCounters {
  watermark(): Promise<Position>
  /**
   * Writes a batch together with this node's watermark that says so, or nothing: false when the
   * watermark isn't at `from` any more.
   */
  apply(tally: Tally, from: Position, to: Position): Promise<boolean>
  /** Adds rows of zeros for new links, at most `limit` a workspace. True: there are more. */
  admit(limit: number): Promise<boolean>
  /** Takes out the rows of links that are gone for good: of the next `limit` rows, and of these. */
  sweep(limit: number, seqs: readonly number[]): Promise<void>
  /** Forgets the visitors of days that are over. */
  purge(now: number): Promise<void>
}

/** @param nodeNo this node's number, which has a row in `node_watermarks` */
export function createSharedCounters(
  storage: Pick<Storage, 'read' | 'write'>,
  nodeNo: number,
): SharedCounters {
  let swept = 0
  let admitsUntil = 0

  return {
    async watermark() {
      const { rows } = await sql<Position>`SELECT segment, "offset" FROM node_watermarks
        WHERE node_no = ${nodeNo}`.execute(storage.read.db)
      return rows[0] ?? { segment: 0, offset: 0 }
    },
    apply(tally, from, to) {
      return storage.write(async (tx) => {
        const moved = await sql`UPDATE node_watermarks
          SET segment = ${to.segment}, "offset" = ${to.offset}
          WHERE node_no = ${nodeNo} AND segment = ${from.segment} AND "offset" = ${from.offset}
          RETURNING 1`.execute(tx.db)
        if (moved.rows.length === 0) return false
        if (tally.links.size === 0) return true
        // All nodes take these locks in the same order: visitors, then links, each by its key.
        const seen = await addVisitors(tx, tally)
        await addClicks(tx, tally, seen)
        return true
      })
    },
    async admit(limit) {
      // Whoever has taken it on goes on with it, so that many new links have theirs soon.
      if (performance.now() >= admitsUntil) {
        const now = performance.now()
        if (!(await takeOn(storage, 'admit', ADMIT_EVERY_MS))) return false
        admitsUntil = now + ADMIT_EVERY_MS
      }
      const { rows } = await sql<{ no: number; done: number; last: number }>`
        SELECT * FROM (
          SELECT w.no, coalesce(c.link_seq, w.no * ${SEQS_PER_WORKSPACE}::bigint) AS done,
            w.no * ${SEQS_PER_WORKSPACE}::bigint + w.links_made AS last
          FROM workspaces w LEFT JOIN counter_watermarks c ON c.workspace_no = w.no
          WHERE w.links_made > 0) w
        WHERE done < last LIMIT ${WORKSPACES_AT_ONCE}`.execute(storage.read.db)
      let more = rows.length === WORKSPACES_AT_ONCE
      for (const { no, done, last } of rows) {
        const made = await storage.write((tx) => admitOne(tx, no, done, last, limit))
        if (made === limit) more = true
      }
      if (!more) admitsUntil = 0
      return more
    },
    async sweep(limit, seqs) {
      if (seqs.length > 0) await storage.write((tx) => removeGone(tx, seqs))
      if (!(await takeOn(storage, 'sweep', SWEEP_EVERY_MS))) return
      const { rows } = await sql<{ link_seq: number }>`SELECT link_seq FROM link_counters
        WHERE link_seq > ${swept} ORDER BY link_seq LIMIT ${limit}`.execute(storage.read.db)
      const page = rows.map(({ link_seq }) => link_seq)
      swept = page.length < limit ? 0 : (page.at(-1) as number)
      if (page.length > 0) await storage.write((tx) => removeGone(tx, page))
    },
    async purge(now) {
      if (!(await takeOn(storage, 'visitors', PURGE_EVERY_MS))) return
      const today = Math.floor(now / DAY_MS)
      // Tomorrow's part, which the day before yesterday has left.
      const part = sql.raw(`link_visitors_${(today + 1) % SLOTS}`)
      await storage.write(async (tx) => {
        await sql`SET LOCAL lock_timeout = '1s'`.execute(tx.db)
        const old = await sql`SELECT 1 FROM ${part} WHERE day <= ${today - 2} LIMIT 1`.execute(
          tx.db,
        )
        if (old.rows.length > 0) await sql`TRUNCATE ${part}`.execute(tx.db)
      })
    },
  }
}

/** Whoever is new on a link and day, by link: how many. Nodes that insert the same wait and see it. */
async function addVisitors(tx: Transaction, tally: Tally): Promise<ReadonlyMap<number, number>> {
  const days: number[] = []
  const seqs: number[] = []
  const visitors: bigint[] = []
  const add = (day: number, seq: number, hash: string) => {
    const bits = visitorBits(hash)
    if (bits === null) return
    days.push(day)
    seqs.push(seq)
    visitors.push(BigInt.asIntN(64, bits))
  }
  for (const [seq, { day, visitors: who }] of tally.links) {
    if (day === -1) continue
    if (typeof who === 'string') add(day, seq, who)
    else for (const visitor of who) add(day, seq, visitor)
  }
  for (const { seq, day, visitor } of tally.others) add(day, seq, visitor)
  if (days.length === 0) return new Map()
  const { rows } = await sql<{ link_seq: number; n: number }>`
    WITH new AS (
      INSERT INTO link_visitors (slot, day, link_seq, visitor)
      SELECT (d % ${sql.raw(String(SLOTS))})::smallint AS s, d, l, v
      FROM unnest(${list(days)}::bigint[], ${list(seqs)}::bigint[], ${list(visitors)}::bigint[])
        AS t(d, l, v)
      ORDER BY s, d, l, v
      ON CONFLICT DO NOTHING RETURNING link_seq
    )
    SELECT link_seq, count(*)::bigint AS n FROM new GROUP BY link_seq`.execute(tx.db)
  return new Map(rows.map(({ link_seq, n }) => [link_seq, n]))
}

async function addClicks(
  tx: Transaction,
  { links }: Tally,
  seen: ReadonlyMap<number, number>,
): Promise<void> {
  const seqs = [...links.keys()].sort((a, b) => a - b)
  const of = (value: (seq: number) => number) => list(seqs.map(value))
  const given = sql`SELECT * FROM unnest(${list(seqs)}::bigint[],
      ${of((seq) => links.get(seq)?.human ?? 0)}::bigint[],
      ${of((seq) => links.get(seq)?.bot ?? 0)}::bigint[],
      ${of((seq) => seen.get(seq) ?? 0)}::bigint[],
      ${of((seq) => links.get(seq)?.lastClickedAt ?? 0)}::bigint[])
    AS g(seq, human, bot, seen, last)`
  await sql`SELECT count(*) FROM (SELECT 1 FROM link_counters
    WHERE link_seq = ANY(${list(seqs)}::bigint[]) ORDER BY link_seq FOR NO KEY UPDATE) l`.execute(
    tx.db,
  )
  const { rows } = await sql<{ seq: number }>`
    WITH given AS (${given}), changed AS (
      UPDATE link_counters c SET total = c.total + g.human + g.bot, human = c.human + g.human,
        bot = c.bot + g.bot, unique_visitors = c.unique_visitors + g.seen,
        last_clicked_at = greatest(c.last_clicked_at, g.last)
      FROM given g WHERE c.link_seq = g.seq RETURNING c.link_seq
    )
    SELECT seq FROM given WHERE NOT EXISTS
      (SELECT 1 FROM changed WHERE link_seq = seq) ORDER BY seq`.execute(tx.db)
  const missing = rows.map(({ seq }) => seq)
  if (missing.length === 0) return
  // New ones; or gone ones, whose stored clicks are to go, too.
  await sql`
    WITH given AS (${given}), known AS (
      SELECT g.* FROM given g WHERE seq = ANY(${list(missing)}::bigint[])
        AND (EXISTS (SELECT 1 FROM links WHERE links.seq = g.seq)
          OR EXISTS (SELECT 1 FROM deleted_links d WHERE d.seq = g.seq))
    ), added AS (
      INSERT INTO link_counters
        (link_seq, workspace_no, total, human, bot, unique_visitors, last_clicked_at)
      SELECT seq, seq / ${SEQS_PER_WORKSPACE}::bigint, human + bot, human, bot, seen, last
      FROM known ORDER BY seq
      ON CONFLICT (link_seq) DO UPDATE SET total = link_counters.total + excluded.total,
        human = link_counters.human + excluded.human, bot = link_counters.bot + excluded.bot,
        unique_visitors = link_counters.unique_visitors + excluded.unique_visitors,
        last_clicked_at = greatest(link_counters.last_clicked_at, excluded.last_clicked_at)
    )
    INSERT INTO gone_links (link_seq)
    SELECT m FROM unnest(${list(missing)}::bigint[]) m
    WHERE NOT EXISTS (SELECT 1 FROM known WHERE seq = m) ORDER BY m
    ON CONFLICT DO NOTHING`.execute(tx.db)
}

/** Rows for the links of a workspace behind its watermark. Gives how many it has looked at. */
async function admitOne(
  tx: Transaction,
  no: number,
  done: number,
  last: number,
  limit: number,
): Promise<number> {
  // Deleted ones too: they may come back behind the watermark.
  const { rows } = await sql<{ n: number; newest: number | null }>`
    WITH page AS (
      SELECT seq FROM links WHERE seq > ${done} AND seq <= ${last}
      UNION ALL SELECT seq FROM deleted_links WHERE seq > ${done} AND seq <= ${last}
      ORDER BY seq LIMIT ${limit}
    ), added AS (
      INSERT INTO link_counters (link_seq, workspace_no) SELECT seq, ${no} FROM page ORDER BY seq
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::bigint AS n, max(seq) AS newest FROM page`.execute(tx.db)
  const { n = 0, newest = null } = rows[0] ?? {}
  // All of them: then also those that were made and deleted again are behind us.
  const upTo = n < limit ? last : (newest ?? last)
  await sql`INSERT INTO counter_watermarks (workspace_no, link_seq) VALUES (${no}, ${upTo})
    ON CONFLICT (workspace_no) DO UPDATE
    SET link_seq = greatest(counter_watermarks.link_seq, excluded.link_seq)`.execute(tx.db)
  return n
}

/** Of these links, those that are gone: their counters at once, their clicks by and by. */
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

/** A list as PostgreSQL reads arrays: one parameter, whatever its length. */
function list(values: readonly (number | bigint)[]): string {
  return `{${values.join(',')}}`
}
