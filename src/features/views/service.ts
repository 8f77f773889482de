import type { IfMatch } from '../../http/callers.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError, type ErrorDetail, invalid } from '../../lib/errors/index.ts'
import { foldCase } from '../../lib/validation/text.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { isSeen, type Schema, type Sql, type Transaction } from '../../platform/storage/index.ts'
import { changedFields, recordObject } from '../audit/index.ts'
import { findFolder, idsOfFolder } from '../folders/index.ts'
import type { MemberPrincipal } from '../members/service.ts'
import { hiddenTags } from '../tags/index.ts'
import { type CheckFilter, reportFaults } from './report.ts'
import { NO_FILTER, VIEWS_MAX, type View, type ViewCreate, type ViewPatch } from './schemas.ts'

type Row = Schema['views']
/** What is stored as JSON. */
type Shown = Pick<View, 'filter' | 'sort' | 'order' | 'hidden_columns' | 'report'>
type Context = Omit<ServiceContext, 'cursors'> & { checkFilter: CheckFilter }

/** Saved views of the list of links, and saved filters of the statistics: a person's own, and shared ones. */
export function createViewService(context: Context) {
  return withContext(context, { list, create, update, remove })
}

export type ViewService = ReturnType<typeof createViewService>

/** The person's own views and the shared ones, by name. */
async function list({ storage }: Context, caller: MemberPrincipal): Promise<View[]> {
  return (await visible(storage.read, caller)).map((row) => render(row, caller))
}

/** @throws AppError FORBIDDEN, VALIDATION_FAILED, VIEW_TAKEN */
async function create(
  context: Context,
  tx: Transaction,
  caller: MemberPrincipal,
  { name, shared, ...shown }: ViewCreate,
): Promise<View> {
  const { clock, ids } = context
  const { no } = caller.workspace
  await tx.lockWorkspace(no)
  if (shared && !caller.scopes.has('links:write')) throw new AppError('FORBIDDEN')
  const at = clock.now()
  const row: Row = {
    id: ids.next('viw'),
    workspace_no: no,
    user_id: caller.userId,
    shared: shared ? 1 : 0,
    name,
    name_key: foldCase(name),
    shown: JSON.stringify(shown),
    created_at: at,
    updated_at: at,
    version: 1,
  }
  await check(context, tx, caller, row)
  await tx.db.insertInto('views').values(row).execute()
  await record(tx, caller, 'view.created', row, at, { after: auditedOf(row) })
  return render(row, caller)
}

/** @throws AppError VIEW_NOT_FOUND, PRECONDITION_FAILED, FORBIDDEN, VALIDATION_FAILED, VIEW_TAKEN */
async function update(
  context: Context,
  tx: Transaction,
  caller: MemberPrincipal,
  id: string,
  { name, shared, ...given }: ViewPatch,
  ifMatch: IfMatch,
): Promise<View> {
  const before = await findEditable(tx, caller, id, ifMatch)
  if (shared === true && !caller.scopes.has('links:write')) throw new AppError('FORBIDDEN')
  if (given.report !== undefined && (given.report === null) !== isOfLinks(before)) {
    throw invalid({ field: 'report', code: 'READ_ONLY' })
  }
  const at = context.clock.now()
  const row: Row = {
    ...before,
    ...(name !== undefined && { name, name_key: foldCase(name) }),
    ...(shared !== undefined && { shared: shared ? 1 : 0 }),
    // Its owner has left: without another one, no one would see it.
    user_id: before.user_id ?? (shared === false ? caller.userId : null),
    shown: JSON.stringify({ ...shownOf(before), ...given }),
    updated_at: at,
    version: before.version + 1,
  }
  const changes = changedFields(auditedOf(before), auditedOf(row))
  if (Object.keys(changes.after).length === 0) return render(before, caller)
  await check(context, tx, caller, row)
  const { id: _, workspace_no: __, ...changing } = row
  await tx.db.updateTable('views').set(changing).where('id', '=', id).execute()
  const seen = { ...row, shared: before.shared | row.shared }
  await record(tx, caller, 'view.updated', seen, at, changes)
  return render(row, caller)
}

/** @throws AppError VIEW_NOT_FOUND, PRECONDITION_FAILED, FORBIDDEN */
async function remove(
  { clock }: Context,
  tx: Transaction,
  caller: MemberPrincipal,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await findEditable(tx, caller, id, ifMatch)
  await tx.db.deleteFrom('views').where('id', '=', id).execute()
  await record(tx, caller, 'view.deleted', row, clock.now(), { before: auditedOf(row) })
}

/**
 * The views that a person can see: none of a folder that is hidden from them, and no other person's
 * of a folder that was deleted, or of tags or links that are hidden from them.
 */
async function visible(sql: Sql, caller: MemberPrincipal): Promise<Row[]> {
  const { workspace, userId, hiddenFolders } = caller
  const rows = await sql.db
    .selectFrom('views')
    .selectAll()
    .where('workspace_no', '=', workspace.no)
    .where((e) => e.or([e('user_id', '=', userId), e('shared', '=', 1)]))
    .orderBy('name_key')
    .orderBy('id')
    .execute()
  if (hiddenFolders === undefined) return rows
  const named = rows.map((row) => ({ row, ...namedIn(row) }))
  const tags = await hiddenTags(
    sql,
    caller,
    named.flatMap((one) => one.tags),
  )
  const hiddenLinks = await unseenLinks(
    sql,
    caller,
    named.flatMap(({ row, links }) => (row.user_id === userId ? [] : links)),
  )
  const seen: Row[] = []
  for (const { row, folder, tags: keys, links } of named) {
    if (folder !== null && hiddenFolders.includes(folder)) continue
    const isOwn = row.user_id === userId
    if (!isOwn && keys.some((key) => tags.has(key))) continue
    if (!isOwn && links.some((id) => hiddenLinks.has(id))) continue
    const isNamed = folder !== null && folder !== 'none' && !isOwn
    if (isNamed && (await findFolder(sql, workspace.no, folder)) === undefined) continue
    seen.push(row)
  }
  return seen
}

/** The folder, the keys of tags and the ids of links that a view names. */
function namedIn(row: Row) {
  const { filter, report } = shownOf(row)
  const { folder_id = [], tag = [], link_id = [], not_link_id = [] } = report?.filters ?? {}
  return {
    folder: filter.folder_id ?? folder_id[0] ?? null,
    tags: [...(filter.tag ?? []), ...(filter.any_tag ?? []), ...tag].map(foldCase),
    links: [...link_id, ...not_link_id],
  }
}

/** Those of some links that a person can't see, or that are gone. */
async function unseenLinks(
  sql: Sql,
  caller: MemberPrincipal,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await sql.db
    .selectFrom('links as l')
    .select('l.id')
    .where('l.workspace_no', '=', caller.workspace.no)
    .where('l.id', 'in', ids)
    .where(isSeen(caller))
    .execute()
  const seen = new Set(rows.map(({ id }) => id))
  return new Set(ids.filter((id) => !seen.has(id)))
}

async function findEditable(
  tx: Transaction,
  caller: MemberPrincipal,
  id: string,
  ifMatch: IfMatch,
): Promise<Row> {
  await tx.lockWorkspace(caller.workspace.no)
  const row = (await visible(tx, caller)).find((one) => one.id === id)
  if (row === undefined) throw new AppError('VIEW_NOT_FOUND')
  if (!isEditable(row, caller)) throw new AppError('FORBIDDEN')
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  return row
}

/** A person's own views; shared ones also for those who manage members. */
function isEditable(row: Row, { userId, scopes }: MemberPrincipal): boolean {
  if (row.shared === 0) return true
  return scopes.has('members:manage') || (row.user_id === userId && scopes.has('links:write'))
}

/** @throws AppError VALIDATION_FAILED, VIEW_TAKEN */
async function check(
  { checkFilter }: Context,
  tx: Transaction,
  caller: MemberPrincipal,
  row: Row,
): Promise<void> {
  const others = await tx.db
    .selectFrom('views')
    .select(['name_key', 'shown'])
    .where('workspace_no', '=', row.workspace_no)
    .where('shared', '=', row.shared)
    .$if(row.shared === 0, (query) => query.where('user_id', '=', row.user_id))
    .where('id', '<>', row.id)
    .execute()
  const details: ErrorDetail[] = []
  if (others.length >= VIEWS_MAX) {
    details.push({ field: 'name', code: 'TOO_MANY', params: { max: VIEWS_MAX } })
  }
  const { report } = shownOf(row)
  if (report !== null) details.push(...reportFaults(report, row.workspace_no, checkFilter))
  if (!(await isFolderThere(tx, caller, namedIn(row).folder))) {
    const field = report === null ? 'filter.folder_id' : 'report.filters.folder_id[0]'
    details.push({ field, code: 'FOLDER_NOT_FOUND' })
  }
  if (details.length > 0) throw invalid(...details)
  const isTaken = others.some(
    (other) => other.name_key === row.name_key && isOfLinks(other) === isOfLinks(row),
  )
  if (isTaken) throw new AppError('VIEW_TAKEN')
}

async function isFolderThere(
  tx: Transaction,
  { workspace, hiddenFolders = [] }: MemberPrincipal,
  id: string | null,
): Promise<boolean> {
  if (id === null || id === 'none') return true
  return !hiddenFolders.includes(id) && (await idsOfFolder(tx, workspace.no, id)).length > 0
}

/** Whether it is a view of the list of links; else it has filters of the statistics. */
function isOfLinks(row: Pick<Row, 'shown'>): boolean {
  return shownOf(row).report === null
}

function shownOf(row: Pick<Row, 'shown'>): Shown {
  type Stored = Shown & { filter: { folder?: string | null } }
  const { filter, ...shown } = JSON.parse(row.shown) as Stored
  // Rows of earlier versions lack newer members, and have the folder's id under its former name.
  const { folder = null, ...rest } = filter
  const full = { ...NO_FILTER, ...rest, folder_id: rest.folder_id ?? folder }
  return { ...shown, filter: full, report: shown.report ?? null }
}

function stateOf(row: Row) {
  const { filter, sort, order, hidden_columns, report } = shownOf(row)
  const common = { name: row.name, shared: row.shared === 1 }
  return { ...common, filter, sort, order, hidden_columns, report }
}

/** The view's fields for the audit log. */
function auditedOf(row: Row) {
  const { filter, report, name, shared, ...rest } = stateOf(row)
  return { name, shared, ...(report ?? { ...rest, ...filter }) }
}

function render(row: Row, caller: MemberPrincipal): View {
  return {
    id: row.id,
    ...stateOf(row),
    editable: isEditable(row, caller),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
    version: row.version,
  }
}

/** Records changes of shared views only; private ones aren't audited. */
async function record(
  tx: Transaction,
  caller: MemberPrincipal,
  action: `view.${'created' | 'updated' | 'deleted'}`,
  row: Row,
  at: number,
  fields: Parameters<typeof recordObject>[5],
): Promise<void> {
  if (row.shared === 1) await recordObject(tx, caller, action, row, at, fields)
}
