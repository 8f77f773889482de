import { recordChange } from '../audit/index.ts'
import type { Transaction } from '../storage/index.ts'
import { addressesOf, holdSlug } from './addresses.ts'
import type { LinkAsker, LinkContext } from './context.ts'
import { keepDeleted } from './deleted-store.ts'
import { targetOfEntry } from './render.ts'
import { deleteLink, givePlaceBack } from './store.ts'
import type { LinkRow } from './types.ts'
import { type IfMatch, linkToChange } from './update.ts'

/**
 * Deletes a link. Its slugs lead nowhere from now on, and are held for the workspace. For some days
 * it can be restored, so its counters stay until then.
 * @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED
 */
export async function remove(
  ctx: LinkContext,
  tx: Transaction,
  asker: LinkAsker,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await linkToChange(tx, asker, id, ifMatch)
  const at = ctx.clock.now()
  await takeOut(tx, row)
  await givePlaceBack(tx, row.workspace_no)
  await keepDeleted(tx, row, at)
  await recordChange(tx, asker.actor, {
    workspaceNo: row.workspace_no,
    at,
    action: 'link.deleted',
    target: targetOfEntry(row),
    before: { slug: row.slug, destination_url: row.destination_url },
    after: {},
    version: row.version,
  })
  tx.afterCommit(ctx.changed)
}

/** Takes a link out of all tables; its slugs stay held. */
export async function takeOut(tx: Transaction, row: LinkRow): Promise<void> {
  const { main, aliases } = addressesOf(row)
  for (const address of [main, ...aliases]) await holdSlug(tx, address)
  await deleteLink(tx, row)
}
