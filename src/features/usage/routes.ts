import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { AppError } from '../../lib/errors/index.ts'
import { listPlan } from '../plans/listing.ts'
import { PlanSchema } from '../plans/schemas.ts'
import type { WorkspaceService } from '../workspaces/service.ts'
import type { RequestCounts } from './requests.ts'

const UsageSchema = z
  .object({
    plan: PlanSchema,
    used: z
      .object({
        links: z.int(),
        addresses: z.int(),
        api_keys: z.int(),
        members: z.int(),
        domains: z.int(),
        clicks_per_month: z.int(),
      })
      .openapi({
        description:
          'How much of each limit of the plan is used; clicks are those of this UTC month.',
      }),
    open_invitations: z.int().openapi({ description: 'Those that `used.members` counts too.' }),
    requests: z
      .array(z.object({ minute: z.string(), allowed: z.int(), limited: z.int() }))
      .openapi({ description: 'API requests of the last 60 minutes, the oldest first.' }),
  })
  .openapi('Usage')

interface UsageRouteDeps {
  workspaces: Pick<WorkspaceService, 'find'>
  requestCounts: RequestCounts
  /** How many invitations are open: they count towards the limit of members. */
  invitations: { countOpen(workspaceNo: number): Promise<number> }
  /** How many domains a workspace has. */
  ownDomains: { count(workspaceNo: number): Promise<number> }
  /** The workspace's counted clicks of this month. */
  clicksThisMonth(workspaceNo: number): Promise<number>
}

/** The dashboard's endpoint for a workspace's usage of its plan. */
export function registerUsageRoutes(api: Pick<Api, 'add'>, deps: UsageRouteDeps): void {
  endpoint(api, {
    method: 'get',
    path: '/api/v1/usage',
    scope: 'links:read',
    operationId: 'getUsage',
    tag: 'Usage',
    summary: 'Get usage of the plan',
    success: { status: 200, description: 'The usage.', schema: UsageSchema },
    async handler({ caller, locale }) {
      const workspace = await deps.workspaces.find(caller.workspace.id)
      if (workspace === undefined) throw new AppError('WORKSPACE_NOT_FOUND')
      const open = await deps.invitations.countOpen(workspace.no)
      return {
        status: 200,
        body: {
          plan: listPlan(caller.workspace.plan, locale),
          used: {
            ...workspace.usage,
            members: workspace.usage.members + open,
            domains: await deps.ownDomains.count(workspace.no),
            clicks_per_month: await deps.clicksThisMonth(workspace.no),
          },
          open_invitations: open,
          requests: await deps.requestCounts.lastHour(workspace.no),
        },
      }
    },
  })
}
