import { sql as fragment, type RawBuilder } from 'kysely'
import { idsOfFolder } from '../../features/folders/index.ts'
import { findTagId, isTagSeen } from '../../features/tags/index.ts'
import { type Allowed, type Reader, sees, seesFolder } from '../../lib/base/view.ts'
import type { ErrorDetail } from '../../lib/errors/index.ts'
import { foldCase } from '../../lib/validation/text.ts'
import { isFolderSeen, isSeen, type Sql } from '../../platform/storage/index.ts'
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
  const { workspace, allowed } = sharer
  if (link_id !== undefined) {
    return (await seenLinks(sql, sharer, [link_id])).has(link_id)
      ? { kind: 'link', id: link_id }
      : { field: 'subject.link_id', code: 'LINK_NOT_FOUND' }
  }
  if (tag !== undefined) {
    const id = await findTagId(sql, sharer, foldCase(tag.trim()))
    if (id === undefined) return { field: 'subject.tag', code: 'TAG_NOT_FOUND' }
    // It has links that the key doesn't reach, now or later.
    return allowed === undefined
      ? { kind: 'tag', id }
      : { field: 'subject.tag', code: 'OUTSIDE_RESTRICTIONS' }
  }
  if (folder_id === undefined) {
    return allowed === undefined
      ? { kind: 'workspace', id: null }
      : { field: 'subject.workspace', code: 'OUTSIDE_RESTRICTIONS' }
  }
  const isThere =
    seesFolder(sharer, folder_id) && (await idsOfFolder(sql, workspace.no, folder_id)).length > 0
  if (!isThere) return { field: 'subject.folder_id', code: 'FOLDER_NOT_FOUND' }
  return allowed === undefined || reachesFolders(allowed)
    ? { kind: 'folder', id: folder_id }
    : { field: 'subject.folder_id', code: 'OUTSIDE_RESTRICTIONS' }
}

/** Whether a key reaches all links of the folders that it is restricted to. */
function reachesFolders({ folders, ...others }: Allowed): boolean {
  return folders !== undefined && Object.keys(others).length === 0
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
  const { workspace, hiddenFolders, allowed } = reader
  const own = { ...wanted, limit, workspaceNo: workspace.no }
  if (hiddenFolders === undefined && allowed === undefined) return findShares(sql, own)
  const seen: FoundShare[] = []
  const isSubject = isSubjectSeen(reader)
  for (let { before } = wanted; ; ) {
    const rows = await findShares(sql, { ...own, isSeen: isSubject, before })
    const links = await findLinks(sql, workspace.no, rows.flatMap(linksOf))
    const unseen = new Set(links.filter((link) => !sees(reader, link)).map(({ id }) => id))
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
  return new Set(links.filter((link) => sees(reader, link)).map(({ id }) => id))
}

/** Whether a reader can see the subject of the share `s`: the tag `t`, folder `f` or link `l`. */
function isSubjectSeen(reader: Reader): RawBuilder<boolean> {
  const { allowed } = reader
  const folders =
    allowed === undefined || reachesFolders(allowed)
      ? isFolderSeen(reader, 'f.id')
      : fragment`FALSE`
  return fragment<boolean>`CASE s.kind
    WHEN 'link' THEN ${isSeen(reader)}
    WHEN 'folder' THEN ${folders}
    WHEN 'tag' THEN ${allowed === undefined ? isTagSeen(reader) : fragment`FALSE`}
    ELSE ${allowed === undefined ? fragment`TRUE` : fragment`FALSE`} END`
}
