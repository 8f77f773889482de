import { sql } from 'kysely'
import type { Sql, Storage } from '../platform/storage/index.ts'
import { isBefore, type Position } from './segments.ts'

/** Links per query. */
const LINKS_AT_ONCE = 10_000
const NONE: LinkCounts = { human: 0, bot: 0, unique: 0 }

/** A link's numbers, by its counters (without those only counted) or by its stored clicks. */
export interface LinkCounts {
  human: number
  bot: number
  unique: number
}

/** A link whose counters differ from its stored clicks. */
export interface Difference {
  linkSeq: number
  counted: LinkCounts
  /** The counters' total: people and bots, if they are correct. */
  total: number
  clicks: LinkCounts
}

/** Numbers of stored clicks. */
export interface StoredCounts {
  /** Time from which all clicks are stored; 0: since the beginning. */
  since: number
  links: ReadonlyMap<number, LinkCounts>
}

/** How far a node's journal is counted, and how far it is stored. */
export interface NodeProgress {
  node: string
  counted: Position
  stored: Position
}

interface LinkRow extends LinkCounts {
  seq: number
  total: number
  createdAt: number
}

/** What a comparison of counters and stored clicks found. */
export interface Compared {
  /** Links compared. */
  links: number
  /** Links older than the stored clicks: they can't be compared. */
  older: number
  differences: Difference[]
}

/**
 * Compares the counters of links, first ≤ seq < end, with their stored clicks. Both must have the same
 * clicks: no journal is counted or stored meanwhile.
 */
export async function compareCounts(
  { read }: Pick<Storage, 'read'>,
  [first, end]: readonly [number, number],
  { since, links }: StoredCounts,
): Promise<Compared> {
  const compared: Compared = { links: 0, older: 0, differences: [] }
  for (let from = first; ; ) {
    const { rows } = await sql<LinkRow>`
      SELECT seq, created_at AS "createdAt",
        coalesce(total - bare_human - bare_bot, 0) AS total,
        coalesce(human - bare_human, 0) AS human, coalesce(bot - bare_bot, 0) AS bot,
        coalesce(unique_visitors - bare_unique, 0) AS "unique"
      FROM links LEFT JOIN link_counters ON link_seq = seq
      WHERE seq >= ${from} AND seq < ${end} ORDER BY seq LIMIT ${LINKS_AT_ONCE}`.execute(read.db)
    for (const { seq, total, createdAt, ...counted } of rows) {
      if (createdAt < since) {
        compared.older++
        continue
      }
      compared.links++
      const clicks = links.get(seq) ?? NONE
      if (total === counted.human + counted.bot && isSame(counted, clicks)) continue
      compared.differences.push({ linkSeq: seq, counted, total, clicks })
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < LINKS_AT_ONCE) return compared
    from = last.seq + 1
  }
}

/** Sets a link's counters to the numbers of its clicks. False: they have changed since. */
export async function repairIn(
  db: Sql['db'],
  { linkSeq, counted, total, clicks }: Difference,
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE link_counters SET total = ${clicks.human + clicks.bot} + bare_human + bare_bot,
      human = ${clicks.human} + bare_human, bot = ${clicks.bot} + bare_bot,
      unique_visitors = ${clicks.unique} + bare_unique
    WHERE link_seq = ${linkSeq} AND human - bare_human = ${counted.human}
      AND bot - bare_bot = ${counted.bot} AND unique_visitors - bare_unique = ${counted.unique}
      AND total - bare_human - bare_bot = ${total}
    RETURNING 1`.execute(db)
  return rows.length > 0
}

/** How far each node has counted and stored its journal. */
export async function progressOfNodes({ read }: Pick<Storage, 'read'>): Promise<NodeProgress[]> {
  const { rows } = await sql<{
    id: string
    segment: number
    offset: number
    shipped_segment: number
    shipped_offset: number
  }>`SELECT id, segment, "offset", shipped_segment, shipped_offset
    FROM node_watermarks JOIN nodes ON no = node_no ORDER BY no`.execute(read.db)
  return rows.map(({ id, segment, offset, shipped_segment, shipped_offset }) => ({
    node: id,
    counted: { segment, offset },
    stored: { segment: shipped_segment, offset: shipped_offset },
  }))
}

/** Whether a node has not counted or stored everything that either side had before. */
export function isBehind(before: readonly NodeProgress[], now: readonly NodeProgress[]): boolean {
  return before.some(({ node, counted, stored }) => {
    const its = now.find((each) => each.node === node)
    if (its === undefined) return true
    const needed = isBefore(counted, stored) ? stored : counted
    return isBefore(its.counted, needed) || isBefore(its.stored, needed)
  })
}

function isSame(a: LinkCounts, b: LinkCounts): boolean {
  return a.human === b.human && a.bot === b.bot && a.unique === b.unique
}
