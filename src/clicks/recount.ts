import { sql } from 'kysely'
import type { Storage } from '../platform/storage/index.ts'
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
  links: Map<number, LinkCounts>
}

/** Numbers of stored clicks as of a position in the journal. */
export interface RawCounts extends StoredCounts {
  position: Position
}

/** How far a node's journal is counted, and how far it is stored. */
export interface NodeProgress {
  node: string
  counted: Position
  stored: Position
}

/** Dependencies of a recount: the same for one machine and for many nodes. */
export interface RecountOptions {
  storage: Pick<Storage, 'read'>
  /** Links compared: first ≤ seq < end. */
  range: readonly [first: number, end: number]
  progress(): Promise<NodeProgress[]>
  /** The numbers of stored clicks in this range, including totals of purged ones. */
  stored(range: readonly [number, number]): Promise<StoredCounts>
  /** Sets a link's counters to the numbers of its clicks. False: they have changed since. */
  repair(difference: Difference): Promise<boolean>
  /** Waits between two passes. */
  wait(): Promise<void>
  /** The most passes after the first. */
  looks: number
}

interface LinkRow extends LinkCounts {
  seq: number
  total: number
  createdAt: number
}

interface Look extends StoredCounts {
  counters: Map<number, LinkRow>
}

/** The result of a recount. */
export type Recounted = Awaited<ReturnType<typeof recount>>

/**
 * Compares the links' counters with their stored clicks and repairs differences, while clicks
 * arrive. Counters and stored clicks follow the journal at their own pace, so it reads them twice:
 * once every node has counted and stored everything that either side had at the first pass, and if
 * a link's numbers are the same in both passes, both sides have the same clicks of it and must
 * agree.
 */
export async function recount(options: RecountOptions) {
  const { progress, repair, wait, looks } = options
  let first = await look(options)
  // Read between the two passes, to be on the safe side.
  let needed = await progress()
  let judged: ReturnType<typeof judge> | undefined
  /** Nodes whose clicks aren't all counted and stored; if any, no link was compared. */
  let behind: string[] = []
  const differences: Difference[] = []
  for (let n = 0; n < looks && judged?.moving !== 0; n++) {
    await wait()
    // The positions stay until they are reached, so that new clicks don't postpone the comparison.
    behind = behindOf(needed, await progress())
    if (behind.length > 0) continue
    const second = await look(options)
    judged = judge(first, second)
    for (const difference of judged.differences) {
      if (await repair(difference)) differences.push(difference)
      else judged.moving++
    }
    first = second
    if (judged.moving > 0) needed = await progress()
  }
  if (judged === undefined) return { ...judge(first, { ...first, counters: new Map() }), behind }
  return { ...judged, behind: [], differences }
}

/** Nodes that have not counted or stored everything that either side had before. */
function behindOf(before: readonly NodeProgress[], now: readonly NodeProgress[]): string[] {
  return before
    .filter(({ node, counted, stored }) => {
      const its = now.find((each) => each.node === node)
      if (its === undefined) return true
      const needed = isBefore(counted, stored) ? stored : counted
      return isBefore(its.counted, needed) || isBefore(its.stored, needed)
    })
    .map(({ node }) => node)
}

async function look({ storage, range, stored }: RecountOptions): Promise<Look> {
  const counters: Look['counters'] = new Map()
  const [first, end] = range
  for (let from = first; ; ) {
    const { rows } = await sql<LinkRow>`
      SELECT seq, created_at AS "createdAt",
        coalesce(total - bare_human - bare_bot, 0) AS total,
        coalesce(human - bare_human, 0) AS human, coalesce(bot - bare_bot, 0) AS bot,
        coalesce(unique_visitors - bare_unique, 0) AS "unique"
      FROM links LEFT JOIN link_counters ON link_seq = seq
      WHERE seq >= ${from} AND seq < ${end} ORDER BY seq LIMIT ${LINKS_AT_ONCE}`.execute(
      storage.read.db,
    )
    for (const row of rows) counters.set(row.seq, row)
    if (rows.length < LINKS_AT_ONCE) break
    from = (rows.at(-1)?.seq ?? end) + 1
  }
  return { counters, ...(await stored(range)) }
}

function judge(first: Look, second: Look) {
  const judged = {
    /** Links compared. */
    links: 0,
    /** Links older than the stored clicks: they can't be compared. */
    older: 0,
    /** Links with constant clicks: they can't be compared now. */
    moving: 0,
    differences: [] as Difference[],
    /** See {@link StoredCounts}. */
    since: second.since,
  }
  for (const [linkSeq, { total, createdAt, human, bot, unique }] of second.counters) {
    if (createdAt < second.since) {
      judged.older++
      continue
    }
    const counted = { human, bot, unique }
    const clicks = second.links.get(linkSeq) ?? NONE
    const isRight = total === human + bot && isSame(counted, clicks)
    const isStill =
      isSame(counted, first.counters.get(linkSeq) ?? NONE) &&
      isSame(clicks, first.links.get(linkSeq) ?? NONE)
    if (!isRight && !isStill) {
      judged.moving++
      continue
    }
    judged.links++
    if (!isRight) judged.differences.push({ linkSeq, counted, total, clicks })
  }
  return judged
}

function isSame(a: LinkCounts, b: LinkCounts): boolean {
  return a.human === b.human && a.bot === b.bot && a.unique === b.unique
}
