import type { Transaction } from '../storage/index.ts'
import { addressesOf } from './addresses.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { parseList } from './render.ts'
import { unindexText } from './search.ts'
import { holdSlug } from './slug-store.ts'
import { changeTags, deleteLink, givePlaceBack } from './store.ts'
import { foldCase } from './text.ts'
import { type IfMatch, linkToChange } from './update.ts'

/**
 * Deletes a link. Its slugs lead nowhere from now on, and are held for the workspace.
 * @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED
 */
export async function remove(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkCaller,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await linkToChange(tx, caller, id, ifMatch)
  const { main, aliases } = addressesOf(row)
  for (const address of [main, ...aliases]) await holdSlug(tx, address)
  const tags = parseList(row.tags).map((tag) => ({ tag, key: foldCase(tag) }))
  await changeTags(tx, { workspaceNo: row.workspace_no, seq: row.seq }, tags, [])
  unindexText(tx, row.seq)
  await deleteLink(tx, row.seq)
  await givePlaceBack(tx, row.workspace_no)
  tx.afterCommit(() => {
    ctx.changed(row.workspace_no)
    ctx.removed(row.seq)
  })
}
