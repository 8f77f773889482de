import { prepare, type Storage } from '../storage/index.ts'

/** What the link said at the moment when one of its uses was taken. */
export interface Use {
  target_url: string
  redirect_status: number
  forward_query: number
}

/** One statement decides: it changes the row, or finds that it no longer may. */
const takeUse = prepare<{ seq: number; now: number }, Use>((db, p) =>
  db
    .updateTable('links')
    .set((eb) => ({ uses: eb('uses', '+', 1) }))
    .where('seq', '=', p.seq)
    .where('enabled', '=', 1)
    .where('blocked', '=', 0)
    .where('max_clicks', 'is not', null)
    .whereRef('uses', '<', 'max_clicks')
    .where((eb) => eb.or([eb('starts_at', 'is', null), eb('starts_at', '<=', p.now)]))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p.now)]))
    .returning(['target_url', 'redirect_status', 'forward_query']),
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
  const rows = await storage.write((tx) => tx.run(takeUse, { seq, now }), { survives: 'process' })
  return rows[0] ?? null
}
