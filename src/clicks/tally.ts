import { isPerson } from './classify.ts'
import { monthKeyOf, monthOf, type Quota } from './months.ts'
import { type ClickRecord, HOW } from './record.ts'
import type { Position } from './segments.ts'
import { dayOf } from './visitors.ts'

/**
 * Before the hash of a visitor whose click was counted alone: someone who comes to a link while it
 * keeps single clicks and while it doesn't counts for both, as the stored clicks have it.
 */
export const BARE = '+'

/** What is added to a link's counters; `bare…`: how many of these are counted alone. */
interface LinkTally {
  human: number
  bot: number
  bareHuman: number
  bareBot: number
  lastClickedAt: number
}

/**
 * Adds up clicks in memory before they are written together, and leaves out what is over the quotas
 * of months. Only people are told apart: bots are never unique visitors.
 */
export function createTally(quotas: ReadonlyMap<number, Quota> = new Map()) {
  const links = new Map<number, LinkTally>()
  const visitors = new Set<string>()
  const months = new Map<number, number>()
  const uncounted = new Map<number, Position>()

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
    /** What is added to the links' counters, by their numbers. */
    links,
    /** Who came: day (UTC, since the epoch), link and the day's hash, with spaces in between. */
    visitors,
    /** Clicks added, by {@link monthKeyOf} their workspace and month. */
    months,
    /** Where the first click of a month begins that was left out for its quota. */
    uncounted,
    /** Links and visitors held: what it takes of memory. */
    get size() {
      return links.size + visitors.size
    },
    add([, time, seq, how, visitor, userAgent]: ClickRecord, at: Position): void {
      if (!takeOfMonth(seq, time, at)) return
      let link = links.get(seq)
      if (link === undefined) {
        link = { human: 0, bot: 0, bareHuman: 0, bareBot: 0, lastClickedAt: time }
        links.set(seq, link)
      }
      link.lastClickedAt = Math.max(link.lastClickedAt, time)
      const isHuman = isPerson(how, userAgent)
      const isBare = (how & HOW.bare) !== 0
      link[isHuman ? 'human' : 'bot']++
      if (isBare) link[isHuman ? 'bareHuman' : 'bareBot']++
      if (isHuman && visitor !== '') {
        visitors.add(`${dayOf(time)} ${seq} ${isBare ? BARE : ''}${visitor}`)
      }
    },
  }
}

export type Tally = ReturnType<typeof createTally>
