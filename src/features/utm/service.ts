import type { IfMatch } from '../../http/callers.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { foldCase } from '../../lib/validation/text.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Schema, Sql, Transaction } from '../../platform/storage/index.ts'
import { changedFields, recordObject, type Writer } from '../audit/index.ts'
import { UTM_FIELDS } from '../links/utm.ts'
import { TEMPLATES_MAX, type UtmTemplate, type UtmTemplatePatch } from './schemas.ts'

type Row = Schema['utm_templates']
type Context = Omit<ServiceContext, 'cursors'>

type Workspace = { readonly workspace: { readonly no: number } }

/** Templates of UTM parameters. */
export function createUtmService(context: Context) {
  return withContext(context, { list, get, create, update, remove })
}

export type UtmService = ReturnType<typeof createUtmService>

/** All templates of a workspace, by name. */
async function list({ storage }: Context, { workspace }: Workspace): Promise<UtmTemplate[]> {
  const query = templates(storage.read, workspace.no).orderBy('name_key')
  return (await query.execute()).map(toUtmTemplate)
}

/** @throws AppError NOT_FOUND */
async function get({ storage }: Context, caller: Workspace, id: string): Promise<UtmTemplate> {
  return toUtmTemplate(await find(storage.read, caller, id))
}

/** @throws AppError VALIDATION_FAILED */
async function create(
  { clock, ids }: Context,
  tx: Transaction,
  caller: Writer,
  fields: UtmTemplatePatch & { name: string },
): Promise<UtmTemplate> {
  const { no } = caller.workspace
  await tx.lockWorkspace(no)
  const others = await templates(tx, no).execute()
  if (others.length >= TEMPLATES_MAX) {
    throw invalid({ field: 'name', code: 'TOO_MANY', params: { max: TEMPLATES_MAX } })
  }
  const at = clock.now()
  const blank = { source: null, medium: null, campaign: null, term: null, content: null }
  const row: Row = {
    id: ids.next('utm'),
    workspace_no: no,
    ...blank,
    ...withName(given(fields), fields.name, others),
    created_at: at,
    updated_at: at,
    version: 1,
  }
  await tx.db.insertInto('utm_templates').values(row).execute()
  await recordObject(tx, caller, 'utm_template.created', row, at, { after: stateOf(row) })
  return toUtmTemplate(row)
}

/** Changes a template by a merge patch. @throws AppError NOT_FOUND, PRECONDITION_FAILED, VALIDATION_FAILED */
async function update(
  { clock }: Context,
  tx: Transaction,
  caller: Writer,
  id: string,
  patch: UtmTemplatePatch,
  ifMatch: IfMatch,
): Promise<UtmTemplate> {
  const { no } = caller.workspace
  await tx.lockWorkspace(no)
  const before = await find(tx, caller, id)
  if (!ifMatch(before.version)) throw new AppError('PRECONDITION_FAILED')
  const others = (await templates(tx, no).execute()).filter((other) => other.id !== id)
  const at = clock.now()
  const row: Row = {
    ...before,
    ...withName(given(patch), patch.name ?? before.name, others),
    updated_at: at,
    version: before.version + 1,
  }
  const changes = changedFields(stateOf(before), stateOf(row))
  if (Object.keys(changes.after).length === 0) return toUtmTemplate(before)
  const { id: _, workspace_no: __, ...changing } = row
  await tx.db.updateTable('utm_templates').set(changing).where('id', '=', id).execute()
  await recordObject(tx, caller, 'utm_template.updated', row, at, changes)
  return toUtmTemplate(row)
}

/** @throws AppError NOT_FOUND, PRECONDITION_FAILED */
async function remove(
  { clock }: Context,
  tx: Transaction,
  caller: Writer,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  await tx.lockWorkspace(caller.workspace.no)
  const row = await find(tx, caller, id)
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  await tx.db.deleteFrom('utm_templates').where('id', '=', id).execute()
  const before = stateOf(row)
  await recordObject(tx, caller, 'utm_template.deleted', row, clock.now(), { before })
}

function templates({ db }: Pick<Sql, 'db'>, workspaceNo: number) {
  return db.selectFrom('utm_templates').selectAll().where('workspace_no', '=', workspaceNo)
}

async function find(sql: Pick<Sql, 'db'>, { workspace }: Workspace, id: string): Promise<Row> {
  const row = await templates(sql, workspace.no).where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('UTM_TEMPLATE_NOT_FOUND')
  return row
}

/** The values set by a request. */
function given(fields: UtmTemplatePatch): Partial<Row> {
  const all = UTM_FIELDS.map((field) => [field, fields[field]] as const)
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

function withName<F>(fields: F, name: string, others: readonly Row[]) {
  const name_key = foldCase(name)
  if (others.some((other) => other.name_key === name_key)) {
    throw new AppError('UTM_TEMPLATE_TAKEN')
  }
  return { ...fields, name, name_key }
}

function stateOf({ name, source, medium, campaign, term, content }: Row) {
  return { name, source, medium, campaign, term, content }
}

function toUtmTemplate(row: Row): UtmTemplate {
  return {
    id: row.id,
    ...stateOf(row),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
    version: row.version,
  }
}
