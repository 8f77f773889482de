import { isPerson } from './classify.ts'
import { monthKeyOf, monthOf, type Quota } from './months.ts'
import type { ClickRecord } from './record.ts'
import type { Position } from './segments.ts'

const DAY_MS = 86_400_000

/** What a batch adds to one link's counters. */
export interface LinkTally {
  human: number
  bot: number
  /** Milliseconds since the Unix epoch. */
  lastClickedAt: number
  /** Days since the epoch (UTC) of `visitors`; -1: none yet. */
  day: number
  /** That day's visitors: mostly one per batch, and a set for each would cost more than the rest. */
  visitors: string | Set<string>
}

/** A visitor of another day than the first of the link's batch: around midnight. */
export interface OtherVisitor {
  seq: number
  day: number
  visitor: string
}

/**
 * Adds up clicks in memory before they are written together, and leaves out what is over the quotas
 * of months. Only people are told apart: bots are never unique visitors.
 */
export function createTally(quotas: ReadonlyMap<number, Quota> = new Map()) {
  const months = new Map<number, number>()
  const uncounted = new Map<number, Position>()
  const links = new Map<number, LinkTally>()
  const others: OtherVisitor[] = []
  let size = 0

  function see(link: LinkTally, seq: number, time: number, visitor: string): void {
    const day = Math.floor(time / DAY_MS)
    const { visitors } = link
    if (link.day === -1) {
      link.day = day
      link.visitors = visitor
    } else if (link.day !== day) {
      others.push({ seq, day, visitor })
    } else if (typeof visitors !== 'string') {
      visitors.add(visitor)
    } else if (visitors !== visitor) {
      link.visitors = new Set([visitors, visitor])
    } else {
      return
    }
    size++
  }

  /** Takes one click of the month's quota. False: it is used up. */
  function takeOfMonth(seq: number, time: number, at: Position): boolean {
    const key = monthKeyOf(seq, monthOf(time))
    const taken = months.get(key) ?? 0
    const quota = quotas.get(key)
    if (quota !== undefined && quota.used + taken >= quota.limit) {
      if (!uncounted.has(key)) uncounted.set(key, at)
      return false
    }
    months.set(key, taken + 1)
    return true
  }

  return {
    links,
    others,
    /** Clicks added, by {@link monthKeyOf} their workspace and month. */
    months,
    /** Where the first click of a month begins that was left out for its quota. */
    uncounted,
    /** Links and visitors held: what it takes of memory. */
    get size() {
      return size
    },
    add(record: ClickRecord, at: Position): void {
      const time = record[1]
      const seq = record[2]
      if (!takeOfMonth(seq, time, at)) return
      let link = links.get(seq)
      if (link === undefined) {
        link = { human: 0, bot: 0, lastClickedAt: time, day: -1, visitors: '' }
        links.set(seq, link)
        size++
      } else if (time > link.lastClickedAt) {
        link.lastClickedAt = time
      }
      if (!isPerson(record[3], record[5])) {
        link.bot++
        return
      }
      link.human++
      const visitor = record[4]
      if (visitor !== '') see(link, seq, time, visitor)
    },
  }
}

export type Tally = ReturnType<typeof createTally>
