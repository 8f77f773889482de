import type { Storage } from '../storage/index.ts'
import { isBefore, type Position } from './segments.ts'

/** Links that are read at once. */
const LINKS_AT_ONCE = 10_000
const NONE: LinkCounts = { human: 0, bot: 0, unique: 0 }

/** A link's numbers, by its counters or by its stored clicks. */
export interface LinkCounts {
  human: number
  bot: number
  unique: number
}

/** A link whose counters differ from its stored clicks. */
export interface Difference {
  linkSeq: number
  counted: LinkCounts
  clicks: LinkCounts
}

/** Numbers of stored clicks. */
export interface StoredCounts {
  /** Time from which all clicks are stored; 0: all that there ever were. */
  since: number
  links: Map<number, LinkCounts>
}

/** Numbers of stored clicks as of a position in the journal. */
export interface RawCounts extends StoredCounts {
  position: Position
}

/** How far a node's journal is counted, and how far its clicks are stored. */
export interface NodeProgress {
  node: string
  counted: Position
  stored: Position
}

/** What a recount works with: the same for one machine and for many nodes. */
export interface RecountOptions {
  storage: Pick<Storage, 'read'>
  /** Links compared: first ≤ seq < end. */
  range: readonly [first: number, end: number]
  progress(): Promise<NodeProgress[]>
  /** The numbers by the stored clicks of this range, and what is left of purged ones. */
  stored(range: readonly [number, number]): Promise<StoredCounts>
  /**
   * Gives a link the numbers of its clicks, if its counters are still what they were. False: they
   * have changed.
   */
  repair(difference: Difference, total: number): Promise<boolean>
  /** Waits between two looks. */
  wait(): Promise<void>
  /** Looks, at most, after the first. */
  looks: number
}

/** What a recount came to. */
export interface Recounted {
  /** Links compared. */
  links: number
  /** Links older than the stored clicks: they can't be compared. */
  older: number
  /** Links that were clicked all the time: they can't be compared now. */
  moving: number
  differences: Difference[]
  /** See {@link StoredCounts}. */
  since: number
  /** Nodes whose clicks aren't all counted and stored; no link was compared then. */
  behind: string[]
}

interface Look extends StoredCounts {
  counters: Map<number, LinkCounts & { total: number; createdAt: number }>
}

/**
 * Compares the links' counters with their stored clicks and repairs those that differ, while clicks
 * come. Counters and stored clicks follow the journal at their own pace, so it looks twice: when
 * every node has counted and stored by the second look all that either side had at the first one,
 * and a link's numbers are the same at both, both sides have the same clicks of it and must agree.
 */
export async function recount(options: RecountOptions): Promise<Recounted> {
  const { wait, looks } = options
  let first = await look(options)
  // Read after the first look and before the second one, so that it errs to the safe side.
  let needed = await options.progress()
  let behind: string[] = []
  let compared: (ReturnType<typeof judge> & { second: Look }) | null = null
  for (let n = 0; n < looks && compared?.moving !== 0; n++) {
    await wait()
    // The positions stay the same until they are reached, so that new clicks postpone nothing.
    behind = behindOf(needed, await options.progress())
    if (behind.length > 0) continue
    const second = await look(options)
    compared = { ...judge(first, second), second }
    first = second
    if (compared.moving > 0) needed = await options.progress()
  }
  if (compared === null) {
    return { links: 0, older: 0, moving: 0, since: first.since, behind, differences: [] }
  }
  const { second, differences, ...judged } = compared
  const repaired = await repairAll(options, differences, second)
  return { ...judged, since: second.since, behind: [], differences: repaired }
}

/** Nodes that have not counted, or not stored, all that either side had before. */
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
    const rows = await storage.read.db
      .selectFrom('links')
      .leftJoin('link_counters', 'link_counters.link_seq', 'links.seq')
      .select(['links.seq', 'links.created_at', 'total', 'human', 'bot', 'unique_visitors'])
      .where('links.seq', '>=', from)
      .where('links.seq', '<', end)
      .orderBy('links.seq')
      .limit(LINKS_AT_ONCE)
      .execute()
    for (const { seq, created_at, total, human, bot, unique_visitors } of rows) {
      counters.set(seq, {
        createdAt: created_at,
        total: total ?? 0,
        human: human ?? 0,
        bot: bot ?? 0,
        unique: unique_visitors ?? 0,
      })
    }
    if (rows.length < LINKS_AT_ONCE) break
    from = (rows.at(-1)?.seq ?? end) + 1
  }
  return { counters, ...(await stored(range)) }
}

function judge(first: Look, second: Look) {
  const judged = { links: 0, older: 0, moving: 0, differences: [] as Difference[] }
  for (const [linkSeq, { total, createdAt, ...counted }] of second.counters) {
    if (createdAt < second.since) {
      judged.older++
      continue
    }
    const clicks = second.links.get(linkSeq) ?? NONE
    const isRight = total === counted.human + counted.bot && isSame(counted, clicks)
    const isStill =
      isSame(counted, first.counters.get(linkSeq) ?? NONE) &&
      isSame(clicks, first.links.get(linkSeq) ?? NONE)
    if (!isRight && !isStill) {
      judged.moving++
      continue
    }
    judged.links++
    if (!isRight) judged.differences.push({ linkSeq, counted, clicks })
  }
  return judged
}

/** Returns those that were repaired. */
async function repairAll(
  { repair }: RecountOptions,
  differences: readonly Difference[],
  { counters }: Look,
): Promise<Difference[]> {
  const repaired: Difference[] = []
  for (const difference of differences) {
    const { total = 0 } = counters.get(difference.linkSeq) ?? {}
    if (await repair(difference, total)) repaired.push(difference)
  }
  return repaired
}

function isSame(a: LinkCounts, b: LinkCounts): boolean {
  return a.human === b.human && a.bot === b.bot && a.unique === b.unique
}
