import { prepare, type Storage, type Transaction } from '../platform/storage/index.ts'
import type { LinkTarget } from './resolver.ts'

/** The link's state at the moment when one of its uses was taken. */
export type Use = Omit<LinkTarget, 'slug'>

/** A single atomic statement: it updates the row if enough uses are left. */
const takeUses = prepare<
  { seq: number; now: number; count: number },
  Use & { uses: number; max_clicks: number | null }
>((db, p) =>
  db
    .updateTable('links')
    .set((eb) => ({ uses: eb('uses', '+', p.count) }))
    .where('seq', '=', p.seq)
    .where('enabled', '=', 1)
    .where('block', 'is', null)
    .where('max_clicks', 'is not', null)
    .where((eb) => eb(eb('uses', '+', p.count), '<=', eb.ref('max_clicks')))
    .where((eb) => eb.or([eb('starts_at', 'is', null), eb('starts_at', '<=', p.now)]))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p.now)]))
    .returning([
      'target_url',
      'redirect_status',
      'forward_query',
      'forward_path',
      'tracking',
      'fallback_url',
      'rules',
      'variants',
    ])
    .returning(['uses', 'max_clicks']),
)

/** Visits that wait for uses of one link. */
interface Group {
  visits: number
  /** How many of them, the first ones, got a use; and the link's state. */
  taken: Promise<{ count: number; use: Use } | null>
}

/**
 * Uses up one of a link's `max_clicks`, committed before it resolves. Null: there is none left, or
 * the link has changed; decide again.
 *
 * Visits of a link that arrive before its transaction begins share it, and its statement: each of 50
 * costs 9 µs less than with separate statements.
 */
export function createUseOnce(storage: Pick<Storage, 'write'>) {
  /** By link, the groups whose transaction has not begun. */
  const waiting = new Map<number, Group>()

  async function take(group: Group, seq: number, now: number): Group['taken'] {
    // A transaction may run twice, with the same visits.
    const begin = () => waiting.get(seq) === group && waiting.delete(seq)
    const work = async (tx: Transaction) => {
      begin()
      const takeSome = async (count: number) => (await tx.run(takeUses, { seq, now, count }))[0]
      let count = group.visits
      let use = await takeSome(count)
      if (use === undefined) {
        // Fewer are left, or none.
        for (count = 0; count < group.visits - 1; count++) {
          const next = await takeSome(1)
          if (next === undefined) break
          use = next
        }
      }
      if (use === undefined) return null
      // The last use closes the link, on all nodes.
      if (use.uses === use.max_clicks) tx.linkChanged?.({ linkSeq: seq })
      return { count, use }
    }
    try {
      return await storage.write(work, { survives: 'process', queue: `uses of ${seq}` })
    } finally {
      begin()
    }
  }

  return async (seq: number, now: number): Promise<Use | null> => {
    let group = waiting.get(seq)
    if (group === undefined) {
      group = { visits: 0, taken: Promise.resolve(null) }
      waiting.set(seq, group)
    }
    const place = group.visits++
    if (place === 0) group.taken = take(group, seq, now)
    const taken = await group.taken
    return taken !== null && place < taken.count ? taken.use : null
  }
}
