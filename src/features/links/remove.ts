import type { IfMatch } from '../../http/callers.ts'
import { pageOf } from '../../http/page.ts'
import type { Reader } from '../../lib/base/view.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import {
  isDeletedSeen,
  SEQS_PER_WORKSPACE,
  type Sql,
  type Transaction,
} from '../../platform/storage/index.ts'
import { recordChange } from '../audit/index.ts'
import { addressesOf, allOf, holdSlug } from './addresses.ts'
import type { LinkContext, LinkReader, LinkWriter } from './context.ts'
import { eventObjectOf } from './event-object.ts'
import type { LinkName } from './find.ts'
import { reserveQuota } from './quota.ts'
import type { LinkRow } from './row.ts'
import { targetOfEntry } from './rows.ts'
import type { DeletedLink, DeletedLinkList } from './schemas.ts'
import { deleteLink, selectLinks } from './store.ts'
import { linkToChange } from './update.ts'

/** How long a deleted link can be restored; its clicks are kept for as long. */
export const GRACE_MS = 7 * 24 * 3_600_000

/**
 * Deletes a link. Its slugs stop working, and are held for the workspace. It can be restored for
 * some days, so its counters stay until then.
 * @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED
 */
export async function remove(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  name: LinkName,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await linkToChange(tx, caller, name, ifMatch)
  // Names of people are only in their own rows.
  const { creator_name: _, ...stored } = row
  const at = ctx.clock.now()
  await detachLink(ctx, tx, row)
  const { length } = allOf(addressesOf(row, ctx.domains))
  await reserveQuota(tx, row.workspace_no, { links: -1, addresses: -length })
  await tx.db
    .insertInto('deleted_links')
    .values({
      seq: row.seq,
      id: row.id,
      workspace_no: row.workspace_no,
      deleted_at: at,
      folder_id: row.folder_id,
      row: JSON.stringify(stored),
    })
    .execute()
  await recordChange(tx, caller.actor, {
    workspaceNo: row.workspace_no,
    at,
    action: 'link.deleted',
    target: targetOfEntry(row),
    before: { slug: row.slug, destination_url: row.destination_url },
    after: {},
    version: row.version,
    object: eventObjectOf(ctx.render(row, undefined, at)),
  })
  tx.afterCommit(ctx.changed)
}

/** Removes a link from all tables; its slugs stay held. */
async function detachLink({ domains }: LinkContext, tx: Transaction, row: LinkRow): Promise<void> {
  for (const address of allOf(addressesOf(row, domains))) await holdSlug(tx, address)
  await deleteLink(tx, row)
}

/** Links per transaction, so that no other write waits long. */
const STEP = 50

/** Purges the links whose grace period is over, in small steps. Returns how many. */
export async function purgeDeleted(ctx: LinkContext): Promise<number> {
  for (let purged = 0; ; ) {
    const until = ctx.clock.now() - GRACE_MS
    const over = ({ db }: Sql) =>
      db
        .selectFrom('deleted_links')
        .select('seq')
        .where('deleted_at', '<=', until)
        .orderBy('deleted_at')
        .limit(STEP)
        .execute()
    // Usually there are none, and this read is cheaper than a transaction.
    if ((await over(ctx.storage.read)).length === 0) return purged
    const step = await ctx.storage.write(
      async (tx) => {
        await tx.lock('purge')
        return forget(ctx, tx, await over(tx))
      },
      { survives: 'process' },
    )
    purged += step
    if (step < STEP) return purged
  }
}

/** Purges some links of a deleted workspace; their slugs stay held. True: none is left. */
export async function purgeSome(
  ctx: LinkContext,
  tx: Transaction,
  workspaceNo: number,
): Promise<boolean> {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  const high = low + SEQS_PER_WORKSPACE - 1
  const rows = await selectLinks(tx)
    .where((eb) => eb.between('seq', low, high))
    .orderBy('seq')
    .limit(STEP)
    .execute()
  for (const row of rows) await detachLink(ctx, tx, row)
  const deleted = await tx.db
    .selectFrom('deleted_links')
    .select('seq')
    .where((eb) => eb.between('seq', low, high))
    .orderBy('seq')
    .limit(STEP)
    .execute()
  await forget(ctx, tx, [...rows, ...deleted])
  return rows.length < STEP && deleted.length < STEP
}

/** Deletes what is kept of links for a restore. Returns how many there were. */
async function forget(
  ctx: LinkContext,
  tx: Transaction,
  links: readonly { seq: number }[],
): Promise<number> {
  const seqs = links.map(({ seq }) => seq)
  if (seqs.length === 0) return 0
  await tx.db.deleteFrom('deleted_links').where('seq', 'in', seqs).execute()
  await tx.db.deleteFrom('link_passwords').where('link_seq', 'in', seqs).execute()
  tx.afterCommit(() => seqs.forEach(ctx.countersOutdated))
  return seqs.length
}

/**
 * The deleted links of a workspace that a reader can see and that can still be restored: every
 * access by a reader goes through this.
 */
export function deletedLinks({ db }: Sql, reader: Reader, nowMs: number) {
  return db
    .selectFrom('deleted_links')
    .where('workspace_no', '=', reader.workspace.no)
    .where('deleted_at', '>', nowMs - GRACE_MS)
    .where(isDeletedSeen(reader))
}

/** The query for deleted links. */
interface DeletedQuery {
  id?: string | undefined
  limit: number
  cursor?: string | undefined
}

/**
 * The deleted links of a workspace that can still be restored, latest first.
 * @throws AppError BAD_REQUEST (INVALID_CURSOR)
 */
export async function listDeleted(
  { storage, clock, cursors, domains }: LinkContext,
  caller: LinkReader,
  { id, limit, cursor }: DeletedQuery,
): Promise<DeletedLinkList> {
  const binding = JSON.stringify(['deleted', caller.workspace.no, id ?? null])
  let query = deletedLinks(storage.read, caller, clock.now()).select(['seq', 'deleted_at', 'row'])
  if (id !== undefined) query = query.where('id', '=', id)
  if (cursor !== undefined) {
    const [at, seq] = cursors.decode(cursor, binding) as [number, number]
    query = query.where((eb) =>
      eb.or([eb('deleted_at', '<', at), eb.and([eb('deleted_at', '=', at), eb('seq', '<', seq)])]),
    )
  }
  const rows = await query
    .orderBy('deleted_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit + 1)
    .execute()
  const page = pageOf(rows, limit, (last) => cursors.encode([last.deleted_at, last.seq], binding))
  return {
    ...page,
    data: page.data.map(({ row, deleted_at }): DeletedLink => {
      const link = JSON.parse(row) as LinkRow
      return {
        id: link.id,
        destination_url: link.destination_url,
        slug: link.slug,
        domain: domains.hostOf(link.domain_no),
        short_url: domains.shortUrl(link.domain_no, link.slug),
        title: link.title,
        deleted_at: formatTimestamp(deleted_at),
        restorable_until: formatTimestamp(deleted_at + GRACE_MS),
      }
    }),
  }
}
