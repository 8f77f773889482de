import { pageOf } from '../http/page.ts'
import { formatTimestamp } from '../validation/timestamp.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { GRACE_MS } from './remove.ts'
import type { DeletedLink, DeletedLinkList } from './schemas.ts'
import type { LinkRow } from './store.ts'

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
  { workspace, hiddenFolders = [] }: LinkCaller,
  { id, limit, cursor }: DeletedQuery,
): Promise<DeletedLinkList> {
  const binding = JSON.stringify(['deleted', workspace.no, id ?? null])
  let query = storage.read.db
    .selectFrom('deleted_links')
    .select(['seq', 'deleted_at', 'row'])
    .where('workspace_no', '=', workspace.no)
    .where('deleted_at', '>', clock.now() - GRACE_MS)
  if (id !== undefined) query = query.where('id', '=', id)
  if (hiddenFolders.length > 0) {
    query = query.where((eb) =>
      eb.or([eb('folder_id', 'is', null), eb('folder_id', 'not in', hiddenFolders)]),
    )
  }
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
