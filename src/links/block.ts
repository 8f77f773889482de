import { COMMAND_LINE, recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import { DEFAULT_DOMAIN, type Domains } from '../domains/index.ts'
import type { Transaction } from '../storage/index.ts'
import { addressesOf, linkOfSlug, retargetSlug, targetOf } from './addresses.ts'
import { findDeleted, newestDeleted, rewriteDeleted } from './deleted-store.ts'
import { targetOfEntry } from './render.ts'
import { slugKey } from './slug.ts'
import { LINK_COLUMNS } from './store.ts'
import type { LinkRow } from './types.ts'

/**
 * Blocks a link of any workspace for its visitors, or lets it redirect again: the operator's means
 * against abuse. `name` is an id, a slug of the default domain, or `host/slug`.
 * One that was deleted and can still be restored is blocked for when it comes back. Null: there is
 * no such link. The audit log of its workspace says so.
 */
export async function setBlocked(
  { domains, clock }: { domains: Domains; clock: Clock },
  tx: Transaction,
  name: string,
  blocked: boolean,
): Promise<{ id: string; isDeleted: boolean } | null> {
  const slash = name.lastIndexOf('/')
  const domainNo = slash === -1 ? DEFAULT_DOMAIN : domains.noOf(name.slice(0, slash))
  const seq =
    domainNo === undefined
      ? undefined
      : await linkOfSlug(tx, domainNo, slugKey(name.slice(slash + 1)))
  const named =
    (await tx.db
      .selectFrom('links')
      .select(['id', 'workspace_no'])
      .where(({ or, eb }) => or([eb('id', '=', name), ...(seq ? [eb('seq', '=', seq)] : [])]))
      .executeTakeFirst()) ?? (await findDeletedByName(tx, name, domainNo, slash))
  if (named === undefined) return null
  await tx.lockWorkspace(named.workspace_no)
  // Until here others may have changed, deleted or restored it.
  const living = await tx.db
    .selectFrom('links')
    .select(LINK_COLUMNS)
    .where('id', '=', named.id)
    .executeTakeFirst()
  const row = living ?? (await findDeleted(tx, named.id, named.workspace_no, 0))
  if (row === undefined) return null
  const found = { id: row.id, isDeleted: living === undefined }
  const after = {
    ...row,
    blocked: Number(blocked),
    version: row.version + 1,
    updated_at: Math.max(clock.now(), row.updated_at),
  }
  if (after.blocked === row.blocked) return found
  if (found.isDeleted) await rewriteDeleted(tx, after)
  else await update(tx, after)
  await recordChange(tx, COMMAND_LINE, {
    workspaceNo: row.workspace_no,
    at: clock.now(),
    action: blocked ? 'link.blocked' : 'link.unblocked',
    target: targetOfEntry(row),
    before: { blocked: !blocked },
    after: { blocked },
    version: after.version,
  })
  return found
}

function findDeletedByName(
  tx: Transaction,
  name: string,
  domainNo: number | undefined,
  slash: number,
): Promise<LinkRow | undefined> {
  const key = slugKey(name.slice(slash + 1))
  return newestDeleted(tx, name, (row) => {
    const { main, aliases } = addressesOf(row)
    return [main, ...aliases].some((one) => one.domainNo === domainNo && one.key === key)
  })
}

async function update(tx: Transaction, row: LinkRow): Promise<void> {
  const { blocked, version, updated_at } = row
  await tx.db
    .updateTable('links')
    .set({ blocked, version, updated_at })
    .where('seq', '=', row.seq)
    .execute()
  const { main, aliases } = addressesOf(row)
  for (const address of [main, ...aliases]) await retargetSlug(tx, address, targetOf(row))
}
