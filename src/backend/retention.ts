import type { Plans } from '../plans/service.ts'
import type { Storage } from '../storage/index.ts'

/** Days for which each workspace's plan keeps its clicks; null: for good. */
export async function retentionOf(
  storage: Pick<Storage, 'reports'>,
  plans: Plans,
): Promise<(readonly [workspaceNo: number, days: number | null])[]> {
  const rows = await storage.reports.db.selectFrom('workspaces').select(['no', 'plan_id']).execute()
  return rows.map(
    ({ no, plan_id }) => [no, plans.of(plan_id).limits.analytics_retention_days] as const,
  )
}
