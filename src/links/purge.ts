import type { Storage } from '../storage/index.ts'
import type { LinkContext } from './context.ts'
import { deletedOf, deletedUntil, dropDeleted, dropPasswords } from './deleted-store.ts'
import { GRACE_MS } from './history.ts'
import { takeOut } from './remove.ts'
import { linksOf } from './store.ts'

/** So many at a time, so that no other write waits long. */
const STEP = 50

type PurgeContext = Pick<LinkContext, 'clock' | 'removed'> & {
  storage: Pick<Storage, 'read' | 'write'>
}

/** Forgets the links whose days of grace are over, in small steps. Returns how many there were. */
export async function purgeDeleted(ctx: PurgeContext): Promise<number> {
  for (let purged = 0; ; ) {
    const until = ctx.clock.now() - GRACE_MS
    // Most of the time there is nothing, and a look costs less than a transaction.
    if ((await deletedUntil(ctx.storage.read, until, 1)).length === 0) return purged
    const step = await ctx.storage.write(
      async (tx) => {
        await tx.lock('purge')
        const seqs = (await deletedUntil(tx, until, STEP)).map(({ seq }) => seq)
        await dropDeleted(tx, seqs)
        await dropPasswords(tx, seqs)
        tx.afterCommit(() => seqs.forEach(ctx.removed))
        return seqs.length
      },
      { survives: 'process' },
    )
    purged += step
    if (step < STEP) return purged
  }
}

/**
 * Forgets some links of a workspace that is gone, deleted ones too; their slugs stay held. True:
 * none is left.
 */
export async function purgeSome(
  ctx: Pick<LinkContext, 'removed'>,
  tx: Parameters<typeof takeOut>[0],
  workspaceNo: number,
): Promise<boolean> {
  const rows = await linksOf(tx, workspaceNo, STEP)
  for (const row of rows) await takeOut(tx, row)
  const deleted = rows.length < STEP ? await deletedOf(tx, workspaceNo, STEP) : []
  const seqs = [...rows, ...deleted].map(({ seq }) => seq)
  await dropDeleted(
    tx,
    deleted.map(({ seq }) => seq),
  )
  await dropPasswords(tx, seqs)
  tx.afterCommit(() => seqs.forEach(ctx.removed))
  return rows.length < STEP && deleted.length < STEP
}
