import { sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import type { Difference, LinkCounts } from '../recount.ts'

/** Links whose counters are read at once. */
const LINKS_AT_ONCE = 10_000
const NONE: LinkCounts = { human: 0, bot: 0, unique: 0 }

/** What {@link recountShared} works with. */
export interface SharedRecountOptions {
  storage: Pick<Storage, 'read' | 'write'>
  /** Links compared: first ≤ seq < end. */
  range: readonly [first: number, end: number]
  /** The numbers by the clicks stored, and what is left of purged ones. */
  raw(range: readonly [number, number]): Promise<Map<number, LinkCounts>>
  /** Waits between two looks. */
  wait(): Promise<void>
  /** Looks, at most, after the first. */
  looks: number
}

/** What it came to. */
export interface SharedRecounted {
  /** Links compared. */
  links: number
  /** Links that were clicked all the while: nothing can be said of them now. */
  moving: number
  differences: Difference[]
  /** Nodes whose clicks are not all counted and stored; the links weren't judged then. */
  behind: string[]
}

interface Mark {
  id: string
  counted: bigint
  shipped: bigint
}

interface Look {
  counters: Map<number, LinkCounts & { total: number }>
  clicks: Map<number, LinkCounts>
}

/**
 * Compares the counters of all nodes with the clicks stored, and mends what differs, while
 * clicks come. Both lag behind the journals, each by itself: so it looks twice. When every node has
 * by then counted and stored all that either side had at the first look, and a link's numbers were
 * the same at both looks, both sides have the same clicks of it, and must agree.
 */
export async function recountShared(options: SharedRecountOptions): Promise<SharedRecounted> {
  const { storage, wait, looks } = options
  let marks = await marksOf(storage)
  let first = await look(options)
  let moving = new Set<number>()
  let behind: string[] = []
  for (let n = 0; n < looks; n++) {
    await wait()
    const second = await look(options)
    const now = await marksOf(storage)
    behind = behindOf(marks, now)
    if (behind.length > 0) continue
    const judged = judge(first, second)
    moving = judged.moving
    if (moving.size === 0 || n === looks - 1) {
      const differences = await mend(storage, judged.differences, second)
      return { links: judged.links, moving: moving.size, differences, behind }
    }
    first = second
    marks = now
  }
  return { links: 0, moving: moving.size, differences: [], behind }
}

/** Nodes that have not counted, or not stored, what the other side had at the first look. */
function behindOf(before: readonly Mark[], after: readonly Mark[]): string[] {
  return before
    .filter(({ id, counted, shipped }) => {
      const now = after.find((mark) => mark.id === id)
      const needed = counted > shipped ? counted : shipped
      return now === undefined || now.counted < needed || now.shipped < needed
    })
    .map(({ id }) => id)
}

async function marksOf({ read }: Pick<Storage, 'read'>): Promise<Mark[]> {
  const { rows } = await sql<{
    id: string
    segment: number
    offset: number
    shipped_segment: number
    shipped_offset: number
  }>`SELECT id, segment, "offset", shipped_segment, shipped_offset
    FROM node_watermarks JOIN nodes ON no = node_no ORDER BY no`.execute(read.db)
  const place = (segment: number, offset: number) => (BigInt(segment) << 40n) + BigInt(offset)
  return rows.map((row) => ({
    id: row.id,
    counted: place(row.segment, row.offset),
    shipped: place(row.shipped_segment, row.shipped_offset),
  }))
}

async function look({ storage, range, raw }: SharedRecountOptions): Promise<Look> {
  const counters: Look['counters'] = new Map()
  const [first, end] = range
  for (let from = first; ; ) {
    const { rows } = await sql<{
      link_seq: number
      total: number
      human: number
      bot: number
      unique_visitors: number
    }>`SELECT link_seq, total, human, bot, unique_visitors FROM link_counters
      WHERE link_seq >= ${from} AND link_seq < ${end}
      ORDER BY link_seq LIMIT ${LINKS_AT_ONCE}`.execute(storage.read.db)
    for (const { link_seq, total, human, bot, unique_visitors } of rows) {
      counters.set(link_seq, { total, human, bot, unique: unique_visitors })
    }
    if (rows.length < LINKS_AT_ONCE) break
    from = (rows.at(-1)?.link_seq ?? end) + 1
  }
  return { counters, clicks: await raw(range) }
}

function judge(first: Look, second: Look) {
  const moving = new Set<number>()
  const differences: Difference[] = []
  for (const [linkSeq, { total, ...counted }] of second.counters) {
    const clicks = second.clicks.get(linkSeq) ?? NONE
    if (total === counted.human + counted.bot && isSame(counted, clicks)) continue
    const isStill =
      isSame(counted, first.counters.get(linkSeq) ?? NONE) &&
      isSame(clicks, first.clicks.get(linkSeq) ?? NONE)
    if (isStill) differences.push({ linkSeq, counted, clicks })
    else moving.add(linkSeq)
  }
  return { links: second.counters.size, moving, differences }
}

/** Those that are still what they were. */
async function mend(
  storage: Pick<Storage, 'write'>,
  differences: readonly Difference[],
  { counters }: Look,
): Promise<Difference[]> {
  const mended: Difference[] = []
  for (const difference of differences) {
    const { linkSeq, counted, clicks } = difference
    const { rows } = await storage.write((tx) =>
      sql`UPDATE link_counters SET total = ${clicks.human + clicks.bot}, human = ${clicks.human},
          bot = ${clicks.bot}, unique_visitors = ${clicks.unique}
        WHERE link_seq = ${linkSeq} AND human = ${counted.human} AND bot = ${counted.bot}
          AND unique_visitors = ${counted.unique} AND total = ${counters.get(linkSeq)?.total ?? 0}
        RETURNING 1`.execute(tx.db),
    )
    if (rows.length > 0) mended.push(difference)
  }
  return mended
}

function isSame(a: LinkCounts, b: LinkCounts): boolean {
  return a.human === b.human && a.bot === b.bot && a.unique === b.unique
}
