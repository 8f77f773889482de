import type { Plans } from '../plans/service.ts'
import type { Sql } from '../storage/index.ts'

/** Why `serve` refuses to start: workspaces have plans that aren't listed. Null: all are. */
export async function unlistedPlans(
  plans: Pick<Plans, 'all' | 'find'>,
  { db }: Pick<Sql, 'db'>,
): Promise<{ problem: string; advice: string } | null> {
  const used = await db.selectFrom('workspaces').select('plan_id').distinct().execute()
  const missing = used.map((row) => row.plan_id).filter((id) => plans.find(id) === undefined)
  if (missing.length === 0) return null
  const listed = plans.all.map((plan) => plan.id).join(', ')
  return {
    problem:
      `Workspaces have the plan ${missing.join(', ')}, which SLUGLINE_PLANS doesn't list ` +
      `(it lists ${listed})`,
    advice:
      'Add it to the file, or first move them: slugline workspaces list, and slugline ' +
      'workspaces set-plan NAME PLAN',
  }
}
