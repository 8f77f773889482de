import { type Actor, changedFields, type Fields, recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { AppError, Refused } from '../errors/index.ts'
import type { Role } from '../http/types.ts'
import type { Plans } from '../plans/service.ts'
import type { Sql, Storage, Transaction } from '../storage/index.ts'
import { holdUser } from '../users/index.ts'
import { checkName, looksLikeId, nameKey } from './name.ts'
import {
  insertMember,
  insertWorkspace,
  listWorkspaces,
  searchWorkspaces,
  takeMemberPlace,
  updatePlan,
  type WorkspaceRow,
  workspaceById,
  workspacesByName,
} from './store.ts'

/** A workspace as it is shown. Names may repeat; the id identifies it. */
export interface Workspace {
  /** Its number in other tables; not for the outside. */
  no: number
  id: string
  name: string
  /** The plan's id. */
  plan: string
  language: string | null
  /** Whether its members need a second factor. */
  require_two_factor: boolean
  /** How many there are of what the plan limits. */
  usage: { links: number; api_keys: number; members: number }
  /** RFC 3339 */
  created_at: string
}

/**
 * Workspaces: made, listed, put on plans. `ref`: an id, or, for the operator, a name without regard
 * to case that one workspace alone has.
 */
export interface WorkspaceService {
  /**
   * @param planId Default: the default plan.
   * @throws Refused UNKNOWN_PLAN, AppError VALIDATION_FAILED
   */
  create(
    tx: Transaction,
    input: { name: string; planId?: string | undefined },
    actor: Actor,
  ): Promise<Workspace>
  list(): Promise<Workspace[]>
  /** @throws Refused WORKSPACE_AMBIGUOUS */
  find(ref: string, sql?: Sql): Promise<Workspace | undefined>
  /** @throws AppError WORKSPACE_NOT_FOUND, Refused WORKSPACE_AMBIGUOUS */
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
   * @throws as `get` does, Refused UNKNOWN_PLAN
   */
  setPlan(tx: Transaction, ref: string, planId: string, actor: Actor): Promise<Workspace>
  /**
   * Changes what its owners may change; what is absent stays.
   * @throws AppError WORKSPACE_NOT_FOUND, VALIDATION_FAILED
   */
  update(tx: Transaction, ref: string, patch: WorkspacePatch, actor: Actor): Promise<Workspace>
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

/** What the owners of a workspace may change. */
export interface WorkspacePatch {
  name?: string | undefined
  language?: string | null | undefined
  require_two_factor?: boolean | undefined
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
    throw new Refused('UNKNOWN_PLAN', `There is no plan ${given}; there are ${known}`)
  }

  async function rowOf(sql: Sql, ref: string): Promise<WorkspaceRow | undefined> {
    if (looksLikeId(ref)) return workspaceById(sql, ref)
    const [row, ...others] = await workspacesByName(sql, nameKey(ref))
    if (others.length === 0) return row
    const message = `There are several workspaces ${ref}: name the id (workspaces list)`
    throw new Refused('WORKSPACE_AMBIGUOUS', message)
  }

  async function get(sql: Sql, ref: string): Promise<Workspace> {
    const row = await rowOf(sql, ref)
    if (row !== undefined) return workspaceOf(row)
    throw new AppError('WORKSPACE_NOT_FOUND', { internal: `There is no workspace ${ref}` })
  }

  async function create(
    tx: Transaction,
    input: { name: string; planId?: string | undefined },
    actor: Actor,
  ): Promise<Workspace> {
    const name = checkName(input.name)
    const row = await insertWorkspace(tx, {
      id: ids.next('wsp'),
      name,
      name_key: nameKey(name),
      plan_id: planIdOf(input.planId),
      created_at: clock.now(),
    })
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

  return {
    create,

    async list() {
      return (await listWorkspaces(storage.read)).map(workspaceOf)
    },

    async find(ref, sql = storage.read) {
      const row = await rowOf(sql, ref)
      return row && workspaceOf(row)
    },

    get,

    async ensure(tx, ref, { planId }, actor) {
      await tx.lock(`workspace name ${nameKey(ref)}`)
      const found = await rowOf(tx, ref)
      // An id stands for a workspace that exists.
      if (found === undefined && !looksLikeId(ref)) return create(tx, { name: ref, planId }, actor)
      return planId === undefined ? get(tx, ref) : setPlan(tx, ref, planId, actor)
    },
    setPlan,
    async update(tx, ref, patch, actor) {
      await tx.lockWorkspace((await get(tx, ref)).no)
      const workspace = await get(tx, ref)
      const { name, language, require_two_factor } = workspace
      const now = { name, language, require_two_factor }
      const wanted = {
        name: patch.name === undefined ? name : checkName(patch.name),
        language: patch.language === undefined ? language : patch.language,
        require_two_factor: patch.require_two_factor ?? require_two_factor,
      }
      const { before, after } = changedFields(now, wanted)
      if (Object.keys(after).length === 0) return workspace
      await tx.db
        .updateTable('workspaces')
        .set({
          ...wanted,
          name_key: nameKey(wanted.name),
          require_two_factor: wanted.require_two_factor ? 1 : 0,
        })
        .where('no', '=', workspace.no)
        .execute()
      const changed = { ...workspace, ...wanted }
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

function workspaceOf(row: WorkspaceRow): Workspace {
  return {
    no: row.no,
    id: row.id,
    name: row.name,
    plan: row.plan_id,
    language: row.language,
    require_two_factor: row.require_two_factor === 1,
    usage: { links: row.links_count, api_keys: row.api_keys_count, members: row.members_count },
    created_at: new Date(row.created_at).toISOString(),
  }
}
