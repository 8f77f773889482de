import { prepare, type Storage, type Transaction } from '../storage/index.ts'
import type { Destined } from './resolver.ts'

/** What the link said at the moment when one of its uses was taken. */
export type Use = Omit<Destined, 'slug'>

/** One statement decides: it changes the row, or finds that it no longer may. */
const takeUse = prepare<
  { seq: number; now: number },
  Use & { uses: number; max_clicks: number | null }
>((db, p) =>
  db
    .updateTable('links')
    .set((eb) => ({ uses: eb('uses', '+', 1) }))
    .where('seq', '=', p.seq)
    .where('enabled', '=', 1)
    .where('block', 'is', null)
    .where('max_clicks', 'is not', null)
    .whereRef('uses', '<', 'max_clicks')
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

/**
 * Uses up one of a link's `max_clicks`, committed before it resolves. Null: there is none left, or
 * the link has changed; look again.
 */
export async function useOnce(
  storage: Pick<Storage, 'write'>,
  seq: number,
  now: number,
): Promise<Use | null> {
  const take = async (tx: Transaction) => {
    const [use] = await tx.run(takeUse, { seq, now })
    if (use === undefined) return null
    // The last one closes the link, for everybody.
    if (use.uses === use.max_clicks) tx.linkChanged?.({ linkSeq: seq })
    return use
  }
  return storage.write(take, { survives: 'process', queue: `uses of ${seq}` })
}
