import { type Actor, changedFields, type Fields, recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { AppError } from '../errors/index.ts'
import type { Role } from '../http/types.ts'
import type { Plans } from '../plans/service.ts'
import type { Sql, Storage, Transaction } from '../storage/index.ts'
import { holdUser } from '../users/index.ts'
import { checkName, looksLikeId, nameKey } from './name.ts'
import { UnknownPlan, WorkspaceRefused } from './refused.ts'
import {
  insertMember,
  insertWorkspace,
  listWorkspaces,
  searchWorkspaces,
  takeMemberPlace,
  updatePlan,
  updateWorkspace,
  type WorkspaceRow,
  workspaceById,
  workspaceByName,
} from './store.ts'

/** A workspace as it is shown. */
export interface Workspace {
  /** Its number in other tables; not for the outside. */
  no: number
  id: string
  name: string
  /** The plan's id. */
  plan: string
  language: string | null
  /** How many there are of what the plan limits. */
  usage: { links: number; addresses: number; api_keys: number; members: number }
  /** RFC 3339 */
  created_at: string
}

/** Workspaces: made, listed, put on plans. `ref`: an id, or a name without regard to case. */
export interface WorkspaceService {
  /**
   * @param planId Default: the default plan.
   * @throws WorkspaceRefused (name taken), UnknownPlan, AppError VALIDATION_FAILED
   */
  create(
    tx: Transaction,
    input: { name: string; planId?: string | undefined },
    actor: Actor,
  ): Promise<Workspace>
  list(): Promise<Workspace[]>
  find(ref: string): Promise<Workspace | undefined>
  /** @throws WorkspaceRefused WORKSPACE_NOT_FOUND */
  get(sql: Sql, ref: string): Promise<Workspace>
  /**
   * Finds a workspace or makes it; a plan, when given, becomes its plan in both cases.
   * @throws as `create` and `setPlan` do
   */
  ensure(
    tx: Transaction,
    ref: string,
    options: { planId?: string | undefined },
    actor: Actor,
  ): Promise<Workspace>
  /**
   * Puts a workspace on a plan. With more of anything than the plan allows it keeps all of it,
   * and gets no more.
   * @throws WorkspaceRefused, UnknownPlan
   */
  setPlan(tx: Transaction, ref: string, planId: string, actor: Actor): Promise<Workspace>
  /**
   * Changes name or language; what is absent stays.
   * @throws WorkspaceRefused (name taken), AppError VALIDATION_FAILED
   */
  update(
    tx: Transaction,
    ref: string,
    patch: { name?: string | undefined; language?: string | null | undefined },
    actor: Actor,
  ): Promise<Workspace>
  /**
   * Takes in a member.
   * @throws AppError PLAN_LIMIT_REACHED with MEMBERS_LIMIT, ALREADY_MEMBER
   */
  join(
    tx: Transaction,
    workspace: Pick<Workspace, 'no' | 'plan'>,
    user: { id: string; email: string },
    role: Role,
    actor: Actor,
  ): Promise<void>
  /** Workspaces of the instance, the newest first; `search`: a part of the name, or an id. */
  search(
    search: string,
    page: { below: number | null; limit: number },
  ): Promise<{ no: number; workspace: Workspace }[]>
}

/** What the service works with. */
export interface WorkspaceServiceDeps {
  storage: Pick<Storage, 'read' | 'reports'>
  clock: Clock
  ids: Ids
  plans: Plans
}

/** See {@link WorkspaceService}. */
export function createWorkspaceService(deps: WorkspaceServiceDeps): WorkspaceService {
  const { storage, clock, ids, plans } = deps

  function planIdOf(given: string | undefined): string {
    if (given === undefined) return plans.default.id
    const plan = plans.find(given)
    if (plan !== undefined) return plan.id
    const known = plans.all.map(({ id }) => id).join(', ')
    throw new UnknownPlan(`There is no plan ${given}; there are ${known}`)
  }

  async function rowOf(sql: Sql, ref: string): Promise<WorkspaceRow | undefined> {
    return looksLikeId(ref) ? workspaceById(sql, ref) : workspaceByName(sql, nameKey(ref))
  }

  async function get(sql: Sql, ref: string): Promise<Workspace> {
    const row = await rowOf(sql, ref)
    if (row !== undefined) return workspaceOf(row)
    throw new WorkspaceRefused('WORKSPACE_NOT_FOUND', `There is no workspace ${ref}`)
  }

  /** Undefined: the name is taken. */
  async function insert(
    tx: Transaction,
    input: string,
    planId: string | undefined,
    actor: Actor,
  ): Promise<Workspace | undefined> {
    const name = checkName(input)
    await lockName(tx, name)
    const row = await insertWorkspace(tx, {
      id: ids.next('wsp'),
      name,
      name_key: nameKey(name),
      plan_id: planIdOf(planId),
      created_at: clock.now(),
    })
    if (row === undefined) return undefined
    const made = workspaceOf(row)
    await record(tx, actor, 'workspace.created', made, {}, { name, plan: made.plan })
    return made
  }

  function record(
    tx: Transaction,
    actor: Actor,
    action: 'workspace.created' | 'workspace.updated' | 'workspace.plan_changed',
    { no, id, name }: Workspace,
    before: Fields,
    after: Fields,
  ): Promise<void> {
    const target = { type: 'workspace' as const, id, label: name }
    return recordChange(tx, actor, {
      workspaceNo: no,
      at: clock.now(),
      action,
      target,
      before,
      after,
    })
  }

  async function setPlan(
    tx: Transaction,
    ref: string,
    given: string,
    actor: Actor,
  ): Promise<Workspace> {
    const plan = planIdOf(given)
    await tx.lockWorkspace((await get(tx, ref)).no)
    const workspace = await get(tx, ref)
    if (workspace.plan === plan) return workspace
    await updatePlan(tx, workspace.no, plan)
    const before = { plan: workspace.plan }
    await record(tx, actor, 'workspace.plan_changed', workspace, before, { plan })
    return { ...workspace, plan }
  }

  function nameTaken(name: string): WorkspaceRefused {
    return new WorkspaceRefused('WORKSPACE_NAME_TAKEN', `There is a workspace ${name} already`)
  }

  return {
    async create(tx, { name, planId }, actor) {
      const made = await insert(tx, name, planId, actor)
      if (made !== undefined) return made
      throw nameTaken(name)
    },

    async list() {
      return (await listWorkspaces(storage.read)).map(workspaceOf)
    },

    async find(ref) {
      const row = await rowOf(storage.read, ref)
      return row && workspaceOf(row)
    },

    get,

    async ensure(tx, ref, { planId }, actor) {
      // Who writes an id means a workspace that exists.
      const made = looksLikeId(ref) ? undefined : await insert(tx, ref, planId, actor)
      if (made !== undefined) return made
      return planId === undefined ? get(tx, ref) : setPlan(tx, ref, planId, actor)
    },
    setPlan,
    async update(tx, ref, patch, actor) {
      await tx.lockWorkspace((await get(tx, ref)).no)
      const workspace = await get(tx, ref)
      const name = patch.name === undefined ? workspace.name : checkName(patch.name)
      const language = patch.language === undefined ? workspace.language : patch.language
      const { before, after } = changedFields(
        { name: workspace.name, language: workspace.language },
        { name, language },
      )
      if (Object.keys(after).length === 0) return workspace
      const row = { name, name_key: nameKey(name), language }
      await lockName(tx, name)
      if (!(await updateWorkspace(tx, workspace.no, row))) throw nameTaken(name)
      const changed = { ...workspace, name, language }
      await record(tx, actor, 'workspace.updated', changed, before, after)
      return changed
    },
    async search(search, { below, limit }) {
      const text = search.trim()
      const rows = await searchWorkspaces(storage.reports, {
        ...(text !== '' && (looksLikeId(text) ? { id: text } : { part: nameKey(text) })),
        below,
        limit,
      })
      return rows.map((row) => ({ no: row.no, workspace: workspaceOf(row) }))
    },
    async join(tx, workspace, user, role, actor) {
      const limit = plans.of(workspace.plan).limits.members
      if (!(await takeMemberPlace(tx, workspace.no, limit))) {
        throw new AppError('PLAN_LIMIT_REACHED', {
          details: [{ field: 'members', code: 'MEMBERS_LIMIT', params: { limit: limit ?? 0 } }],
        })
      }
      const at = clock.now()
      const row = { workspace_no: workspace.no, user_id: user.id, role, created_at: at }
      // Who has deleted their account meanwhile is signed in no longer.
      if (!(await holdUser(tx, user.id))) throw new AppError('SIGN_IN_REQUIRED')
      if (!(await insertMember(tx, row))) throw new AppError('ALREADY_MEMBER')
      await recordChange(tx, actor, {
        workspaceNo: workspace.no,
        at,
        action: 'member.joined',
        target: { type: 'member', id: user.id, label: user.email },
        before: {},
        after: { role },
      })
    },
  }
}

/** An UPDATE can only look whether a name is free: nobody may take it meanwhile. */
function lockName(tx: Transaction, name: string): Promise<void> {
  return tx.lock(`workspace name ${nameKey(name)}`)
}

function workspaceOf(row: WorkspaceRow): Workspace {
  return {
    no: row.no,
    id: row.id,
    name: row.name,
    plan: row.plan_id,
    language: row.language,
    usage: {
      links: row.links_count,
      addresses: row.addresses_count,
      api_keys: row.api_keys_count,
      members: row.members_count,
    },
    created_at: new Date(row.created_at).toISOString(),
  }
}
