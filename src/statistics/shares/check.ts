import { idsOfFolder } from '../../features/folders/index.ts'
import { findTagId, isTagSeen } from '../../features/tags/index.ts'
import type { Reader } from '../../http/types.ts'
import { hiddenFrom } from '../../lib/base/hidden-folders.ts'
import type { ErrorDetail } from '../../lib/errors/index.ts'
import { foldCase } from '../../lib/validation/text.ts'
import type { Sql } from '../../platform/storage/index.ts'
import type { Subject } from './schemas.ts'
import type { ShareKind } from './show.ts'
import { type FoundShare, findLinks, findShares, type Wanted } from './store.ts'

/** The subject of a share in its stored form. */
interface SharedSubject {
  kind: ShareKind
  /** Null: the workspace. */
  id: string | null
}

/** Finds the link, tag or folder that a request names. */
export async function checkSubject(
  sql: Sql,
  sharer: Reader,
  { link_id, tag, folder_id }: Subject,
): Promise<SharedSubject | ErrorDetail> {
  const { workspace, hiddenFolders = [] } = sharer
  if (link_id !== undefined) {
    return (await seenLinks(sql, sharer, [link_id])).has(link_id)
      ? { kind: 'link', id: link_id }
      : { field: 'subject.link_id', code: 'LINK_NOT_FOUND' }
  }
  if (tag !== undefined) {
    const id = await findTagId(sql, sharer, foldCase(tag.trim()))
    return id === undefined ? { field: 'subject.tag', code: 'TAG_NOT_FOUND' } : { kind: 'tag', id }
  }
  if (folder_id === undefined) return { kind: 'workspace', id: null }
  const isSeen = !hiddenFolders.includes(folder_id)
  return isSeen && (await idsOfFolder(sql, workspace.no, folder_id)).length > 0
    ? { kind: 'folder', id: folder_id }
    : { field: 'subject.folder_id', code: 'FOLDER_NOT_FOUND' }
}

/** Faults of filters whose links don't exist. */
export async function checkFilters(
  sql: Sql,
  sharer: Reader,
  filters: Readonly<Record<string, readonly string[]>> = {},
): Promise<ErrorDetail[]> {
  const faults: ErrorDetail[] = []
  for (const name of ['link_id', 'not_link_id']) {
    const { [name]: ids } = filters
    if (ids === undefined) continue
    const links = await seenLinks(sql, sharer, ids)
    for (const [at, id] of ids.entries()) {
      const field = `filters.${name}[${at}]`
      if (!links.has(id)) faults.push({ field, code: 'LINK_NOT_FOUND' })
    }
  }
  return faults
}

/**
 * The shares that a reader can see, newest first: neither their subject nor a link of their filters
 * is hidden. All access to shares goes through this, also that of viewers, who see no more than who
 * shares.
 */
export async function seenShares(
  sql: Sql,
  reader: Reader,
  { limit = 1, ...wanted }: Wanted,
): Promise<FoundShare[]> {
  const { workspace, hiddenFolders: hidden } = reader
  const own = { ...wanted, limit, workspaceNo: workspace.no }
  if (hidden === undefined) return findShares(sql, own)
  const seen: FoundShare[] = []
  const view = { ...own, hidden, isTagSeen: isTagSeen(hiddenFrom(reader)) }
  for (let { before } = wanted; ; ) {
    const rows = await findShares(sql, { ...view, before })
    const links = await findLinks(sql, workspace.no, rows.flatMap(linksOf))
    const unseen = new Set(links.filter((link) => !isSeen(reader, link)).map(({ id }) => id))
    seen.push(...rows.filter((row) => !linksOf(row).some((id) => unseen.has(id))))
    if (seen.length >= limit || rows.length < limit) return seen.slice(0, limit)
    before = rows.at(-1)?.id
  }
}

/** The links that a share's filters name. */
function linksOf({ filters }: FoundShare): string[] {
  const { link_id = [], not_link_id = [] } = JSON.parse(filters) as Record<string, string[]>
  return [...link_id, ...not_link_id]
}

/** Those of some links that the caller can see. */
export async function seenLinks(sql: Sql, reader: Reader, ids: readonly string[]) {
  const links = await findLinks(sql, reader.workspace.no, ids)
  return new Set(links.filter((link) => isSeen(reader, link)).map(({ id }) => id))
}

function isSeen({ hiddenFolders = [] }: Reader, { folder_id: id }: { folder_id: string | null }) {
  return id === null || !hiddenFolders.includes(id)
}
