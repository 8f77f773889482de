import type { IfMatch, Permission } from '../../http/callers.ts'
import { pageOf } from '../../http/page.ts'
import { versionedOf } from '../../http/respond.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { type Reader, seesFolder, viewOf } from '../../lib/base/view.ts'
import { AppError, type ErrorDetail, invalid } from '../../lib/errors/index.ts'
import { foldForSearch } from '../../lib/validation/text.ts'
import { countRows, type Sql, type Transaction } from '../../platform/storage/index.ts'
import { changedFields, type Fields, recordObject, type Writer } from '../audit/index.ts'
import { FOLDERS_MAX, type Folder, type FolderList } from './schemas.ts'
import {
  type CountedFolder,
  closeFolder,
  countLinks,
  dissolve,
  type FolderRow,
  findFolder,
  findHidden,
  findMembers,
  findRestricted,
  hasLinks,
  insertFolder,
  listFolders,
  membersOf,
  setMembers,
  updateFolder,
} from './store.ts'

type Access = FolderRow['access']

/** A change of a folder. */
interface FolderChange {
  name?: string | undefined
  access?: Access | undefined
  members?: readonly string[] | undefined
  /** How many links it has. */
  links: number
}

export type FolderService = ReturnType<typeof createFolderService>

/** Makes the service of folders. */
export function createFolderService(deps: ServiceContext) {
  return withContext(deps, { linksOf, list, get, create, update, remove })
}

/** How many links a folder has: counted before the transaction, because it is slow. */
function linksOf({ storage }: ServiceContext, reader: Reader, id: string) {
  return countLinks(storage.reports, reader.workspace.no, id, viewOf(reader))
}

/** Folders by name. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
async function list(
  { storage, cursors }: ServiceContext,
  caller: Reader,
  query: { search?: string | undefined; limit: number; cursor?: string | undefined },
): Promise<FolderList> {
  const { limit, cursor } = query
  const { workspace } = caller
  const term = foldForSearch(query.search ?? '')
  const binding = JSON.stringify(['folders', workspace.no, term])
  const [nameKey, id] = cursor === undefined ? [] : cursors.decode(cursor, binding)
  const rows = await listFolders(storage.reports, {
    workspaceNo: workspace.no,
    term,
    after: id === undefined ? null : { nameKey: nameKey as string, id: id as string },
    limit: limit + 1,
    view: viewOf(caller),
  })
  const page = pageOf(rows, limit, (last) => cursors.encode([last.name_key, last.id], binding))
  const members = await membersOf(
    storage.reports,
    page.data.map((row) => row.id),
  )
  const shownOf = (row: CountedFolder) => folderOf(row, members.get(row.id) ?? [], row.links)
  return { ...page, data: page.data.map(shownOf) }
}

/** @throws AppError FOLDER_NOT_FOUND */
async function get(ctx: ServiceContext, caller: Reader, id: string): Promise<Folder> {
  const { read } = ctx.storage
  return readFolder(read, await getVisible(read, caller, id), await linksOf(ctx, caller, id))
}

/** @throws AppError VALIDATION_FAILED */
async function create(
  { clock, ids }: ServiceContext,
  tx: Transaction,
  caller: Writer,
  { name, access = 'workspace', members = [] }: Omit<FolderChange, 'links'> & { name: string },
): Promise<Folder> {
  await tx.lockWorkspace(caller.workspace.no)
  if ((await countRows(tx, 'folders', caller.workspace.no)) >= FOLDERS_MAX) {
    throw new AppError('PLAN_LIMIT_REACHED', {
      details: [{ field: 'folders', code: 'FOLDERS_LIMIT', params: { limit: FOLDERS_MAX } }],
    })
  }
  const allowed = await checkMembers(tx, caller, access, members)
  const now = clock.now()
  const row: FolderRow = {
    id: ids.next('fld'),
    workspace_no: caller.workspace.no,
    ...named(name),
    access,
    merged_into: null,
    created_at: now,
    updated_at: now,
    version: 1,
  }
  await insertFolder(tx, row)
  await setMembers(tx, row.id, allowed)
  const folder = folderOf(row, allowed, 0)
  await recordObject(tx, caller, 'folder.created', row, now, {
    after: { name, access, ...(allowed.length > 0 && { members: allowed }) },
    object: eventObjectOf(folder),
  })
  return folder
}

/** @throws AppError FOLDER_NOT_FOUND, PRECONDITION_FAILED, VALIDATION_FAILED */
async function update(
  { clock }: ServiceContext,
  tx: Transaction,
  caller: Writer,
  id: string,
  { links, ...patch }: FolderChange,
  ifMatch: IfMatch,
): Promise<Folder> {
  const row = await lockForChange(tx, caller, id, ifMatch)
  const members = (await membersOf(tx, [id])).get(id) ?? []
  const before = { name: row.name, access: row.access, members }
  const { name = before.name, access = before.access } = patch
  const kept = access === 'members' ? members : []
  const allowed = await checkMembers(tx, caller, access, patch.members ?? kept)
  const changes = changedFields(before, { name, access, members: allowed })
  if (Object.keys(changes.after).length === 0) return readFolder(tx, row, links)
  const now = clock.now()
  const changed = {
    ...named(name),
    access,
    updated_at: Math.max(now, row.updated_at),
    version: row.version + 1,
  }
  await updateFolder(tx, id, changed)
  await setMembers(tx, id, allowed)
  const folder = folderOf({ ...row, ...changed }, allowed, links)
  const event = { ...changes, object: eventObjectOf(folder) }
  await recordObject(tx, caller, 'folder.updated', row, now, event)
  return folder
}

/**
 * Deletes a folder. Its links are moved to another one, or (`none`) to no folder, without changes
 * of their rows. What a restricted folder leaves behind stays hidden.
 * @throws AppError FOLDER_NOT_FOUND, PRECONDITION_FAILED, FOLDER_NOT_EMPTY, VALIDATION_FAILED
 */
async function remove(
  { clock }: ServiceContext,
  tx: Transaction,
  caller: Writer,
  id: string,
  moveTo: string | undefined,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await lockForChange(tx, caller, id, ifMatch)
  if (moveTo === undefined && (await hasLinks(tx, row))) throw new AppError('FOLDER_NOT_EMPTY')
  const into =
    moveTo === undefined || moveTo === 'none' ? null : await target(tx, caller, moveTo, id)
  const folder = await readFolder(tx, row, 0)
  if (row.access === 'members') await closeFolder(tx, row)
  await dissolve(tx, id, into?.id ?? null)
  await recordObject(tx, caller, 'folder.deleted', row, clock.now(), {
    before: { name: row.name },
    after: into === null ? {} : { moved_to: into.name },
    object: { ...eventObjectOf(folder), moved_to: into?.id ?? null },
  })
}

/** The folder to move links to. @throws AppError VALIDATION_FAILED (FOLDER_NOT_FOUND) */
async function target(tx: Transaction, caller: Writer, id: string, from: string) {
  const row = id === from ? undefined : await findVisible(tx, caller, id)
  if (row === undefined) throw invalid({ field: 'move_to', code: 'FOLDER_NOT_FOUND' })
  return row
}

/** Validates the members of a folder. @throws AppError VALIDATION_FAILED */
async function checkMembers(
  tx: Transaction,
  { workspace, userId, scopes }: Writer,
  access: Access,
  members: readonly string[],
): Promise<string[]> {
  if (access === 'workspace') {
    if (members.length === 0) return []
    const params = { other: 'access' }
    throw invalid({ field: 'members', code: 'CONFLICTING_PARAMETERS', params })
  }
  const known = await findMembers(tx, workspace.no, members)
  const faults = members.flatMap((id, i): ErrorDetail[] =>
    known.has(id) ? [] : [{ field: `members[${i}]`, code: 'UNKNOWN_MEMBER' }],
  )
  if (faults.length > 0) throw invalid(...faults)
  // Others would lose access to the folder by their own change.
  const isKept = userId !== undefined && !scopes?.has('members:manage')
  return [...new Set(isKept ? [...members, userId] : members)].sort()
}

/** A folder that the caller can see; undefined: there is none, or it was merged into another. */
async function findVisible(sqlx: Sql, reader: Reader, id: string) {
  const row = seesFolder(reader, id) ? await findFolder(sqlx, reader.workspace.no, id) : undefined
  return row?.id === id ? row : undefined
}

/** @throws AppError FOLDER_NOT_FOUND */
async function getVisible(sqlx: Sql, caller: Reader, id: string): Promise<FolderRow> {
  const row = await findVisible(sqlx, caller, id)
  if (row === undefined) throw new AppError('FOLDER_NOT_FOUND')
  return row
}

/** @throws AppError FOLDER_NOT_FOUND, PRECONDITION_FAILED */
async function lockForChange(tx: Transaction, caller: Writer, id: string, ifMatch: IfMatch) {
  await tx.lockWorkspace(caller.workspace.no)
  const row = await getVisible(tx, caller, id)
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  return row
}

async function readFolder(sqlx: Sql, row: FolderRow, links: number): Promise<Folder> {
  return folderOf(row, (await membersOf(sqlx, [row.id])).get(row.id) ?? [], links)
}

function folderOf(row: FolderRow, members: string[], links: number): Folder {
  const { id, name, access } = row
  return { id, name, access, members, links, ...versionedOf(row) }
}

/** A folder in events: without the number of its links, which changes without an event. */
function eventObjectOf({ links: _, ...object }: Folder): Fields {
  return object
}

function named(name: string) {
  return { name, name_key: foldForSearch(name) }
}

/**
 * The folders whose links a member of a workspace can't see; undefined: they see everything, as
 * owners and admins do. Queried on each request, so that changes take effect with the next one.
 */
export async function hiddenFoldersOf(
  sqlx: Sql,
  workspaceNo: number,
  { userId, scopes }: { userId: string; scopes: ReadonlySet<Permission> },
): Promise<readonly string[] | undefined> {
  return scopes.has('members:manage') ? undefined : findHidden(sqlx, workspaceNo, userId)
}

/** The restricted folders that a reader can see, and those merged into them. */
export async function restrictedFoldersOf(
  sqlx: Sql,
  { workspace, hiddenFolders = [] }: Reader,
): Promise<string[]> {
  const hidden = new Set(hiddenFolders)
  return (await findRestricted(sqlx, workspace.no)).filter((id) => !hidden.has(id))
}
