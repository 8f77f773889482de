import { isPerson } from './classify.ts'
import { monthKeyOf, monthOf } from './months.ts'
import { CLICK_FLAGS } from './record.ts'
import type { Position } from './segments.ts'
import type { LinkTally, Quota, Tally } from './types.ts'
import { dayOf } from './visitors.ts'

/**
 * The prefix of a visitor's hash if the click was only counted: a visitor of a link who comes both
 * while single clicks are stored and while they aren't counts for both, consistent with the stored
 * clicks.
 */
export const BARE = '+'

/**
 * Sums up clicks in memory before they are written together, without those above the monthly
 * quotas. Only people are unique visitors, never bots.
 */
export function createTally(quotas: ReadonlyMap<number, Quota> = new Map()): Tally {
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
    links,
    visitors,
    months,
    uncounted,
    get size() {
      return links.size + visitors.size
    },
    add([, time, seq, how, visitor, userAgent], at) {
      if (!takeOfMonth(seq, time, at)) return
      let link = links.get(seq)
      if (link === undefined) {
        link = { human: 0, bot: 0, bareHuman: 0, bareBot: 0, lastClickedAt: time }
        links.set(seq, link)
      }
      link.lastClickedAt = Math.max(link.lastClickedAt, time)
      const isHuman = isPerson(how, userAgent)
      const isBare = (how & CLICK_FLAGS.countOnly) !== 0
      link[isHuman ? 'human' : 'bot']++
      if (isBare) link[isHuman ? 'bareHuman' : 'bareBot']++
      if (isHuman && visitor !== '') {
        visitors.add(`${dayOf(time)} ${seq} ${isBare ? BARE : ''}${visitor}`)
      }
    },
  }
}
