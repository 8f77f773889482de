import type { Clock } from '../../lib/base/clock.ts'
import type { PlanLimits } from '../../model/plans/types.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import { recordChange, SYSTEM } from '../audit/index.ts'
import type { Plans } from '../plans/service.ts'

/** Dependencies of watching the usage of plans. */
export interface UsageEventsDeps {
  storage: Pick<Storage, 'read' | 'write'>
  clock: Clock
  plans: Pick<Plans, 'of'>
  /** The workspace's counted clicks of this month. */
  clicksThisMonth: (workspaceNo: number) => Promise<number>
  ownDomains: { count(workspaceNo: number): Promise<number> }
}

/** In percent. */
const THRESHOLDS = [100, 80]
/** Workspaces of one run. */
const STEP = 200

type Limit = Extract<
  keyof PlanLimits,
  'links' | 'addresses' | 'api_keys' | 'members' | 'domains' | 'clicks_per_month'
>
type Reached = Partial<Record<Limit, number>>

/** Records that a workspace has reached 80 or 100 % of what its plan permits, each time once. */
export function createUsageEvents(deps: UsageEventsDeps) {
  let above = 0
  return {
    /** Looks at some workspaces with each call. */
    async run(): Promise<void> {
      const rows = await workspacesAbove(deps, above)
      above = rows.length < STEP ? 0 : (rows.at(-1)?.no ?? 0)
      for (const row of rows) await look(deps, row)
    },
  }
}

type Row = Awaited<ReturnType<typeof workspacesAbove>>[number]

function workspacesAbove({ storage }: UsageEventsDeps, above: number) {
  return storage.read.db
    .selectFrom('workspaces')
    .select(['no', 'id', 'name', 'plan_id', 'usage_reached'])
    .select(['links_count', 'addresses_count', 'api_keys_count', 'members_count'])
    .where('no', '>', above)
    .orderBy('no')
    .limit(STEP)
    .execute()
}

async function look(deps: UsageEventsDeps, row: Row): Promise<void> {
  const { limits } = deps.plans.of(row.plan_id)
  const { no } = row
  const used: Record<Limit, number> = {
    links: row.links_count,
    addresses: row.addresses_count,
    api_keys: row.api_keys_count,
    members: row.members_count,
    domains: limits.domains === null ? 0 : await deps.ownDomains.count(no),
    clicks_per_month: limits.clicks_per_month === null ? 0 : await deps.clicksThisMonth(no),
  }
  const names = Object.keys(used) as Limit[]
  const reached: Reached = {}
  for (const name of names) {
    const max = limits[name]
    // A limit of 0 is no part of the plan.
    if (max === null || max === 0) continue
    const threshold = THRESHOLDS.find((percent) => used[name] * 100 >= percent * max)
    if (threshold !== undefined) reached[name] = threshold
  }
  if (JSON.stringify(reached) === row.usage_reached) return
  await deps.storage.write((tx) => note(deps, tx, row, { reached, used, limits }), {
    workspaceNo: no,
  })
}

async function note(
  { clock }: UsageEventsDeps,
  tx: Transaction,
  { no, id, name: label, usage_reached }: Row,
  now: { reached: Reached; used: Record<Limit, number>; limits: PlanLimits },
): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('workspaces')
    .set({ usage_reached: JSON.stringify(now.reached) })
    .where('no', '=', no)
    .where('usage_reached', '=', usage_reached)
    .executeTakeFirst()
  // Another node was first.
  if (numUpdatedRows === 0n) return
  const before = JSON.parse(usage_reached) as Reached
  for (const [name, threshold] of Object.entries(now.reached) as [Limit, number][]) {
    if (threshold <= (before[name] ?? 0)) continue
    const after = { limit: name, threshold, used: now.used[name], max: now.limits[name] }
    await recordChange(tx, SYSTEM, {
      workspaceNo: no,
      at: clock.now(),
      action: 'usage.threshold',
      target: { type: 'usage', id, label },
      after,
      object: after,
    })
  }
}
