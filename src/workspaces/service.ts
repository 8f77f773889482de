import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { AppError } from '../errors/index.ts'
import type { Plans } from '../plans/service.ts'
import type { Sql, Storage, Transaction } from '../storage/index.ts'
import { checkName, looksLikeId, nameKey } from './name.ts'
import { WorkspaceRefused } from './refused.ts'
import {
  insertMember,
  insertWorkspace,
  listWorkspaces,
  takeMemberPlace,
  updatePlan,
  type WorkspaceRow,
  workspaceById,
  workspaceByName,
} from './store.ts'

/** What a member may do; only owners exist until there are accounts. */
export type Role = 'owner'

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
  usage: { links: number; api_keys: number; members: number }
  /** RFC 3339 */
  created_at: string
}

/** Workspaces: made, listed, put on plans. `ref`: an id, or a name without regard to case. */
export interface WorkspaceService {
  /**
   * @param planId Default: the default plan.
   * @throws WorkspaceRefused (name taken, unknown plan), AppError VALIDATION_FAILED
   */
  create(tx: Transaction, input: { name: string; planId?: string | undefined }): Promise<Workspace>
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
    options?: { planId?: string | undefined },
  ): Promise<Workspace>
  /**
   * Puts a workspace on a plan. With more of anything than the plan allows it keeps all of it,
   * and gets no more.
   * @throws WorkspaceRefused
   */
  setPlan(tx: Transaction, ref: string, planId: string): Promise<Workspace>
  /** Takes in a member. @throws AppError PLAN_LIMIT_REACHED with MEMBERS_LIMIT. */
  join(tx: Transaction, workspace: Workspace, userId: string, role: Role): Promise<void>
}

/** What the service works with. */
export interface WorkspaceServiceDeps {
  storage: Pick<Storage, 'read'>
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
    throw new WorkspaceRefused('UNKNOWN_PLAN', `There is no plan ${given}; there are ${known}`)
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
  async function insert(tx: Transaction, input: string, planId: string | undefined) {
    const name = checkName(input)
    if (looksLikeId(name)) {
      throw new WorkspaceRefused('INVALID_WORKSPACE_NAME', `${name} looks like a workspace's id`)
    }
    const row = await insertWorkspace(tx, {
      id: ids.next('wsp'),
      name,
      name_key: nameKey(name),
      plan_id: planIdOf(planId),
      created_at: clock.now(),
    })
    return row && workspaceOf(row)
  }

  async function setPlan(tx: Transaction, ref: string, given: string): Promise<Workspace> {
    const plan = planIdOf(given)
    const workspace = await get(tx, ref)
    await updatePlan(tx, workspace.no, plan)
    return { ...workspace, plan }
  }

  return {
    async create(tx, { name, planId }) {
      const made = await insert(tx, name, planId)
      if (made !== undefined) return made
      throw new WorkspaceRefused('WORKSPACE_NAME_TAKEN', `There is a workspace ${name} already`)
    },

    async list() {
      return (await listWorkspaces(storage.read)).map(workspaceOf)
    },

    async find(ref) {
      const row = await rowOf(storage.read, ref)
      return row && workspaceOf(row)
    },

    get,

    async ensure(tx, ref, { planId } = {}) {
      // Who writes an id means a workspace that exists.
      const made = looksLikeId(ref) ? undefined : await insert(tx, ref, planId)
      if (made !== undefined) return made
      return planId === undefined ? get(tx, ref) : setPlan(tx, ref, planId)
    },

    setPlan,

    async join(tx, workspace, userId, role) {
      const limit = plans.of(workspace.plan).limits.members
      if (!(await takeMemberPlace(tx, workspace.no, limit))) {
        throw new AppError('PLAN_LIMIT_REACHED', {
          details: [{ field: 'members', code: 'MEMBERS_LIMIT', params: { limit: limit ?? 0 } }],
        })
      }
      const created_at = clock.now()
      await insertMember(tx, { workspace_no: workspace.no, user_id: userId, role, created_at })
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
    usage: { links: row.links_count, api_keys: row.api_keys_count, members: row.members_count },
    created_at: new Date(row.created_at).toISOString(),
  }
}
