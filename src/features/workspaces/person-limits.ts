import type { PlanLimits } from '../../model/plans/types.ts'
import { prepare, type Sql } from '../../platform/storage/index.ts'
import type { Plans } from '../plans/service.ts'

const plansOfPerson = prepare<{ userId: string }, { plan_id: string }>((db, p) =>
  db
    .selectFrom('members')
    .innerJoin('workspaces', 'workspaces.no', 'members.workspace_no')
    .select('workspaces.plan_id')
    .distinct()
    .where('members.user_id', '=', p.userId),
)

/**
 * The rate limit of a person across all of their workspaces: the highest of these workspaces'
 * plans. Null: none, or the person is in no workspace.
 */
export async function personLimits(
  sql: Sql,
  plans: Pick<Plans, 'of'>,
  userId: string,
): Promise<PlanLimits | null> {
  const rows = await sql.run(plansOfPerson, { userId })
  let highest: PlanLimits | null = null
  for (const { plan_id } of rows) {
    const { limits } = plans.of(plan_id)
    if (limits.requests_per_minute === null) return null
    if (limits.requests_per_minute > (highest?.requests_per_minute ?? 0)) highest = limits
  }
  return highest
}
