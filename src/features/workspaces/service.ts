import type { z } from '@hono/zod-openapi'
import { sql as raw, type Selectable } from 'kysely'
import type { Role } from '../../http/callers.ts'
import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError, OperatorError } from '../../lib/errors/index.ts'
import { slugFieldsOf, withSlugFields } from '../../model/links/slug-settings.ts'
import {
  containing,
  type Sql,
  type Storage,
  type Transaction,
  type WorkspacesTable,
} from '../../platform/storage/index.ts'
import { type Actor, changedFields, type Fields, recordChange } from '../audit/index.ts'
import type { Plans } from '../plans/service.ts'
import { holdUser } from '../users/service.ts'
import { checkName, looksLikeId, nameKey } from './name.ts'
import type { WorkspaceChangeSchema, WorkspaceSchema } from './schemas.ts'

/** A workspace with its number and its usage. Names may repeat; the id identifies it. */
export interface Workspace extends z.infer<typeof WorkspaceSchema> {
  /** Its number in other tables; internal. */
  no: number
  /** How much of its plan's limits is used. */
  usage: { links: number; addresses: number; api_keys: number; members: number }
}
interface WorkspaceServiceDeps {
  storage: Pick<Storage, 'read' | 'reports'>
  clock: Clock
  ids: Ids
  plans: Plans
}

/** The workspaces. `ref`: an id, or, for the operator, a unique name, case-insensitive. */
export function createWorkspaceService(deps: WorkspaceServiceDeps) {
  return withContext(deps, { create, list, find, get, ensure, setPlan, update, search, join })
}

export type WorkspaceService = ReturnType<typeof createWorkspaceService>

/**
 * Creates a workspace.
 * @param input without `planId`: on the default plan.
 * @throws OperatorError UNKNOWN_PLAN, AppError VALIDATION_FAILED
 */
async function create(
  { ids, clock, plans }: WorkspaceServiceDeps,
  tx: Transaction,
  input: { name: string; planId?: string | undefined },
  actor: Actor,
): Promise<Workspace> {
  const name = checkName(input.name)
  const at = clock.now()
  const row = await tx.db
    .insertInto('workspaces')
    .values({
      id: ids.next('wsp'),
      name,
      name_key: nameKey(name),
      plan_id: planIdOf(plans, input.planId),
      language: null,
      created_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const made = workspaceOf(row)
  const after = { name, plan: made.plan }
  await record(tx, actor, at, 'workspace.created', made, { after })
  return made
}

async function list({ storage }: WorkspaceServiceDeps): Promise<Workspace[]> {
  const query = storage.read.db.selectFrom('workspaces').selectAll().orderBy('no')
  return (await query.execute()).map(workspaceOf)
}

/** @throws OperatorError WORKSPACE_AMBIGUOUS */
async function find(
  { storage }: WorkspaceServiceDeps,
  ref: string,
  sql: Sql = storage.read,
): Promise<Workspace | undefined> {
  const row = await rowOf(sql, ref)
  return row && workspaceOf(row)
}

/** @throws AppError WORKSPACE_NOT_FOUND, OperatorError WORKSPACE_AMBIGUOUS */
async function get(_: unknown, sql: Sql, ref: string): Promise<Workspace> {
  const row = await rowOf(sql, ref)
  if (row !== undefined) return workspaceOf(row)
  throw new AppError('WORKSPACE_NOT_FOUND', { internal: `There is no workspace ${ref}` })
}

/** {@link get} with the workspace locked. */
async function getLocked(tx: Transaction, ref: string): Promise<Workspace> {
  await tx.lockWorkspace((await get(null, tx, ref)).no)
  return get(null, tx, ref)
}

/**
 * Finds or creates a workspace; a given plan becomes its plan in both cases.
 * @throws as `create` and `setPlan` do
 */
async function ensure(
  deps: WorkspaceServiceDeps,
  tx: Transaction,
  ref: string,
  { planId }: { planId?: string | undefined },
  actor: Actor,
): Promise<Workspace> {
  await tx.lock(`workspace name ${nameKey(ref)}`)
  const found = await rowOf(tx, ref)
  // An id must refer to an existing workspace.
  if (found === undefined && !looksLikeId(ref)) {
    return create(deps, tx, { name: ref, planId }, actor)
  }
  return planId === undefined ? get(deps, tx, ref) : setPlan(deps, tx, ref, planId, actor)
}

/**
 * Changes the plan of a workspace. It keeps what exceeds the new plan's limits, but can't add more.
 * @throws as `get` does, OperatorError UNKNOWN_PLAN
 */
async function setPlan(
  { plans, clock }: WorkspaceServiceDeps,
  tx: Transaction,
  ref: string,
  planId: string,
  actor: Actor,
): Promise<Workspace> {
  const plan = planIdOf(plans, planId)
  const workspace = await getLocked(tx, ref)
  if (workspace.plan === plan) return workspace
  const { no } = workspace
  await tx.db.updateTable('workspaces').set({ plan_id: plan }).where('no', '=', no).execute()
  const change = { before: { plan: workspace.plan }, after: { plan } }
  await record(tx, actor, clock.now(), 'workspace.plan_changed', workspace, change)
  return { ...workspace, plan }
}

/**
 * Changes what owners may change; absent fields stay.
 * @throws AppError WORKSPACE_NOT_FOUND, VALIDATION_FAILED
 */
async function update(
  { clock }: WorkspaceServiceDeps,
  tx: Transaction,
  ref: string,
  patch: z.infer<typeof WorkspaceChangeSchema>,
  actor: Actor,
): Promise<Workspace> {
  const workspace = await getLocked(tx, ref)
  const { no, name, language, require_two_factor } = workspace
  const { slug_length, slug_style, slug_prefix } = workspace
  const slugs = { slug_length, slug_style, slug_prefix }
  const slug_settings = withSlugFields(withSlugFields(null, slugs), patch)
  const wanted = {
    name: patch.name === undefined ? name : checkName(patch.name),
    language: patch.language === undefined ? language : patch.language,
    require_two_factor: patch.require_two_factor ?? require_two_factor,
  }
  const after = { ...wanted, ...slugFieldsOf(slug_settings) }
  const change = changedFields({ name, language, require_two_factor, ...slugs }, after)
  if (Object.keys(change.after).length === 0) return workspace
  await tx.db
    .updateTable('workspaces')
    .set({
      ...wanted,
      name_key: nameKey(wanted.name),
      require_two_factor: wanted.require_two_factor ? 1 : 0,
      slug_settings,
    })
    .where('no', '=', no)
    .execute()
  const changed = { ...workspace, ...after }
  await record(tx, actor, clock.now(), 'workspace.updated', changed, change)
  return changed
}

/** Workspaces of the instance, newest first; `search`: a part of the name, or an id. */
async function search(
  { storage }: WorkspaceServiceDeps,
  search: string,
  { below, limit }: { below: number | null; limit: number },
): Promise<Workspace[]> {
  const text = search.trim()
  let query = storage.reports.db.selectFrom('workspaces').selectAll()
  if (looksLikeId(text)) query = query.where('id', '=', text)
  else if (text !== '') {
    const pattern = containing(nameKey(text))
    query = query.where(raw<boolean>`name_key LIKE ${pattern} ESCAPE ${'\\'}`)
  }
  if (below !== null) query = query.where('no', '<', below)
  return (await query.orderBy('no', 'desc').limit(limit).execute()).map(workspaceOf)
}

/**
 * Adds a member.
 * @throws AppError PLAN_LIMIT_REACHED (MEMBERS_LIMIT), ALREADY_MEMBER; SIGN_IN_REQUIRED if the account
 *   no longer exists
 */
async function join(
  { plans, clock }: WorkspaceServiceDeps,
  tx: Transaction,
  workspace: Pick<Workspace, 'no' | 'plan'>,
  user: { id: string; email: string },
  role: Role,
  actor: Actor,
): Promise<void> {
  const limit = plans.of(workspace.plan).limits.members
  const { numUpdatedRows } = await tx.db
    .updateTable('workspaces')
    .set((e) => ({ members_count: e('members_count', '+', 1) }))
    .where('no', '=', workspace.no)
    .$if(limit !== null, (query) => query.where('members_count', '<', limit))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) {
    throw new AppError('PLAN_LIMIT_REACHED', {
      details: [{ field: 'members', code: 'MEMBERS_LIMIT', params: { limit: limit ?? 0 } }],
    })
  }
  const at = clock.now()
  const row = { workspace_no: workspace.no, user_id: user.id, role, created_at: at }
  // A person who has deleted their account in the meantime is no longer signed in.
  if (!(await holdUser(tx, user.id))) throw new AppError('SIGN_IN_REQUIRED')
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['workspace_no', 'user_id']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new AppError('ALREADY_MEMBER')
  await recordChange(tx, actor, {
    workspaceNo: workspace.no,
    at,
    action: 'member.joined',
    target: { type: 'member', id: user.id, label: user.email },
    after: { role },
    object: memberEventObject(row),
  })
}

/** A member in events: without name and email address, which can be erased. */
export function memberEventObject(row: {
  user_id: string
  role: string
  created_at: number
}): Fields {
  const { user_id, role, created_at } = row
  return { user_id, role, joined_at: new Date(created_at).toISOString() }
}

async function record(
  tx: Transaction,
  actor: Actor,
  at: number,
  action: 'workspace.created' | 'workspace.updated' | 'workspace.plan_changed',
  { no, id, name }: Workspace,
  change: { before?: Fields; after: Fields },
): Promise<void> {
  const target = { type: 'workspace' as const, id, label: name }
  await recordChange(tx, actor, { workspaceNo: no, at, action, target, ...change })
}

function planIdOf(plans: Plans, given: string | undefined): string {
  if (given === undefined) return plans.default.id
  const plan = plans.find(given)
  if (plan !== undefined) return plan.id
  const known = plans.all.map(({ id }) => id).join(', ')
  throw new OperatorError('UNKNOWN_PLAN', `There is no plan ${given}; there are ${known}`)
}

async function rowOf(sql: Sql, ref: string) {
  const query = sql.db.selectFrom('workspaces').selectAll()
  if (looksLikeId(ref)) return query.where('id', '=', ref).executeTakeFirst()
  // Two are enough to know that the name is ambiguous.
  const [row, ...others] = await query.where('name_key', '=', nameKey(ref)).limit(2).execute()
  if (others.length === 0) return row
  const message = `There are several workspaces ${ref}: name the id (workspaces list)`
  throw new OperatorError('WORKSPACE_AMBIGUOUS', message)
}

function workspaceOf(row: Selectable<WorkspacesTable>): Workspace {
  return {
    no: row.no,
    id: row.id,
    name: row.name,
    plan: row.plan_id,
    language: row.language,
    require_two_factor: row.require_two_factor === 1,
    ...slugFieldsOf(row.slug_settings),
    usage: {
      links: row.links_count,
      addresses: row.addresses_count,
      api_keys: row.api_keys_count,
      members: row.members_count,
    },
    created_at: new Date(row.created_at).toISOString(),
  }
}
