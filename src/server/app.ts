// As text, so that a start doesn't parse it.
import committed from '../../openapi.json' with { type: 'text' }
import { backToSignIn, OIDC_CALLBACK } from '../features/accounts/back-to-sign-in.ts'
import type { Accounts } from '../features/accounts/index.ts'
import { registerAccountRoutes } from '../features/accounts/routes.ts'
import { registerAuditRoutes } from '../features/audit/routes.ts'
import { registerAppealRoute, registerBlockRoutes } from '../features/blocks/routes.ts'
import { createDocs, registerRootRoutes } from '../features/docs/index.ts'
import { registerInstanceMissRoutes, registerMissRoutes } from '../features/domains/miss-routes.ts'
import { registerDomainRoutes } from '../features/domains/routes.ts'
import { registerDomainSetupRoute } from '../features/domains/setup-routes.ts'
import { registerEventRoutes } from '../features/events/routes.ts'
import { registerExplainRoutes } from '../features/explain/routes.ts'
import { registerFolderRoutes } from '../features/folders/index.ts'
import { registerImportRoutes } from '../features/imports/routes.ts'
import { registerJobRoutes } from '../features/jobs/routes.ts'
import { registerKeyRoutes } from '../features/keys/routes.ts'
import { registerByFilterRoutes } from '../features/links/bulk/by-filter-routes.ts'
import { registerLinkCheckRoute } from '../features/links/check.ts'
import { registerLinkExportRoutes } from '../features/links/export-routes.ts'
import { registerLinkRoutes } from '../features/links/routes.ts'
import { registerMcpRoute } from '../features/mcp/routes.ts'
import { registerMemberRoutes } from '../features/members/routes.ts'
import { registerPageDetailsRoute } from '../features/page-details/routes.ts'
import { registerPlanRoutes } from '../features/plans/routes.ts'
import { registerLogoRoutes, registerQrRoutes } from '../features/qr/routes.ts'
import { registerQrStyleRoutes } from '../features/qr/style.ts'
import { registerTagRoutes } from '../features/tags/index.ts'
import { registerUsageRoutes } from '../features/usage/routes.ts'
import { registerUtmRoutes } from '../features/utm/routes.ts'
import { registerViewRoutes } from '../features/views/routes.ts'
import { registerWebhookRoutes } from '../features/webhooks/routes.ts'
import { registerExcludedNetworkRoutes } from '../features/workspaces/excluded-networks.ts'
import { registerInstanceRoutes } from '../features/workspaces/instance-routes.ts'
import { registerWorkspaceRoutes } from '../features/workspaces/routes.ts'
import {
  type Api,
  type ApiDeps,
  atAddress,
  createApi,
  DASHBOARD_PREFIX,
  digestTag,
  type OpenApiParts,
  openApiDocument,
  pathOf,
  type RequestInfo,
} from '../http/index.ts'
import { createMemo } from '../lib/base/memo.ts'
import { createMemoryLimiter } from '../platform/limits/index.ts'
import {
  registerStatisticsDashboardRoutes,
  registerStatisticsRoutes,
} from '../statistics/routes.ts'
import { createSharedPage, type SharedShell, sharedErrorPage } from '../statistics/shares/page.ts'
import { registerShareRoutes } from '../statistics/shares/routes.ts'
import { registerSharedRoutes } from '../statistics/shares/view-routes.ts'
import type { Limiters } from './backend/index.ts'

/** The services behind the endpoints. */
type EndpointDeps = Parameters<typeof registerPlanRoutes>[1] &
  Parameters<typeof registerLinkRoutes>[1] &
  Parameters<typeof registerAppealRoute>[1] &
  Parameters<typeof registerJobRoutes>[1] &
  Parameters<typeof registerByFilterRoutes>[1] &
  Parameters<typeof registerImportRoutes>[1] &
  Parameters<typeof registerExplainRoutes>[1] &
  Parameters<typeof registerEventRoutes>[1] &
  Parameters<typeof registerWebhookRoutes>[1] &
  Parameters<typeof registerQrRoutes>[1] &
  Parameters<typeof registerLogoRoutes>[1] &
  Parameters<typeof registerUtmRoutes>[1] &
  Parameters<typeof registerTagRoutes>[1] &
  Parameters<typeof registerFolderRoutes>[1] &
  Parameters<typeof registerDomainRoutes>[1] &
  Parameters<typeof registerDomainSetupRoute>[1] &
  Parameters<typeof registerMissRoutes>[1] &
  Parameters<typeof registerShareRoutes>[1] &
  Parameters<typeof registerKeyRoutes>[1] &
  Parameters<typeof registerSharedRoutes>[1] &
  Parameters<typeof registerStatisticsRoutes>[1]

/** The services behind the endpoints that only the dashboard has. */
export type DashboardDeps = EndpointDeps &
  Parameters<typeof registerAccountRoutes>[1] &
  Parameters<typeof registerMemberRoutes>[1] &
  Parameters<typeof registerWorkspaceRoutes>[1] &
  Parameters<typeof registerExcludedNetworkRoutes>[1] &
  Parameters<typeof registerQrStyleRoutes>[1] &
  Parameters<typeof registerAuditRoutes>[1] &
  Parameters<typeof registerUsageRoutes>[1] &
  Parameters<typeof registerInstanceRoutes>[1] &
  Parameters<typeof registerPageDetailsRoute>[1] &
  Parameters<typeof registerViewRoutes>[1]

/** Dependencies of the application. */
export interface AppDeps
  extends Omit<ApiDeps, 'sessions' | 'limiter' | 'anonymousLimiter'>,
    Omit<DashboardDeps, 'invitationLimiter'> {
  accounts: Accounts
  /** Serves the dashboard's pages and files; absent: there are none. */
  dashboard?: ((request: Request) => Response | Promise<Response>) | undefined
  /** Renders the page of shared statistics; absent: there is none. */
  sharedShell?: SharedShell | undefined
  /** Rate limiters; by default each API counts in memory. */
  limiters?: Pick<Limiters, 'api' | 'people' | 'anonymous' | 'visitors' | 'invitations'>
}

/** The API, its document and its reference page: request → response, without a listener. */
export type App = ReturnType<typeof createApp>

const DASHBOARD_API = /^\/app\/api(?:\/|$)/

/** Builds the application. */
export function createApp(deps: AppDeps) {
  const { limiters } = deps
  const planLimiter = limiters?.api ?? createMemoryLimiter()
  const api = createApi({ ...deps, limiter: planLimiter, anonymousLimiter: limiters?.anonymous })
  registerEndpoints(api, deps)
  registerSharedRoutes(api, deps)
  registerRootRoutes(api, () => api.endpoints, deps.keys.restrictionsOf)
  addDocuments(api, deps.baseUrl)
  registerMcpRoute(api, deps)
  if (deps.sharedShell !== undefined) {
    const page = createSharedPage(deps.shareViews, deps.sharedShell)
    api.addPage('/shared/{token}', page, sharedErrorPage)
  }

  const dashboardApi = createApi({
    ...deps,
    sessions: deps.accounts.sessions,
    limiter: limiters?.people,
    planLimiter,
    anonymousLimiter: limiters?.visitors,
  })
  registerStatisticsDashboardRoutes(dashboardApi, deps)
  registerEndpoints(dashboardApi, deps)
  registerDashboardEndpoints(dashboardApi, { ...deps, invitationLimiter: limiters?.invitations })
  dashboardApi.mount(`${DASHBOARD_PREFIX}/api/auth`, deps.accounts.authenticate)

  return {
    /** Handles any request; never rejects. */
    fetch(request: Request, info: RequestInfo): Response | Promise<Response> {
      const path = pathOf(request.url)
      if (!path.startsWith(DASHBOARD_PREFIX)) return api.fetch(request, info)
      if (path === OIDC_CALLBACK) return backToSignIn(request, dashboardApi.fetch(request, info))
      if (DASHBOARD_API.test(path)) return dashboardApi.fetch(request, info)
      return deps.dashboard?.(request) ?? dashboardApi.fetch(request, info)
    },
  }
}

/**
 * Serves the OpenAPI document and the reference. The document is the committed one: generating it takes
 * the thread for most of a second, and `npm run verify` checks that both are the same.
 */
function addDocuments(api: Api, baseUrl: string): void {
  const texts = createMemo(1, (address: string) =>
    atAddress(JSON.stringify(JSON.parse(committed as unknown as string)), address),
  )
  const openApi = () => {
    const text = texts(baseUrl)
    const headers = {
      'Content-Type': 'application/json',
      'Cache-Control': 'public, max-age=300',
      ETag: digestTag(text),
    }
    return { status: 200, text, headers }
  }
  api.addPage('/openapi.json', openApi)
  api.addPage('/api/v1/openapi.json', openApi)
  const document = () => JSON.parse(texts(baseUrl)) as OpenApiParts
  const docs = createDocs({ document, baseUrl })
  api.addPage('/docs', docs.reference)
  api.addPage('/docs/errors', docs.errors)
}

/** The OpenAPI document in its committed form. */
export function describeApi(deps: EndpointDeps): string {
  const endpoints: Api['endpoints'][number][] = []
  const api = { add: (endpoint: (typeof endpoints)[number]) => void endpoints.push(endpoint) }
  registerEndpoints(api, deps)
  registerSharedRoutes(api, deps)
  registerRootRoutes(
    api,
    () => endpoints,
    async () => null,
  )
  return documentOf(endpoints)
}

/** The document for the types of the dashboard's client; it isn't served. */
export function describeDashboard(deps: DashboardDeps): string {
  const endpoints: Api['endpoints'][number][] = []
  const api: Pick<Api, 'add'> = {
    add: (endpoint) => void endpoints.push({ ...endpoint, path: DASHBOARD_PREFIX + endpoint.path }),
  }
  registerStatisticsDashboardRoutes(api, deps)
  registerEndpoints(api, deps)
  registerDashboardEndpoints(api, deps)
  return documentOf(endpoints, true)
}

/** Endpoints of both APIs. */
function registerEndpoints(api: Pick<Api, 'add'>, deps: EndpointDeps): void {
  registerPlanRoutes(api, deps)
  registerLinkRoutes(api, deps)
  registerLinkExportRoutes(api, deps)
  registerAppealRoute(api, deps)
  registerJobRoutes(api, deps)
  registerByFilterRoutes(api, deps)
  registerImportRoutes(api, deps)
  registerQrRoutes(api, deps)
  registerExplainRoutes(api, deps)
  registerLogoRoutes(api, deps)
  registerUtmRoutes(api, deps)
  registerTagRoutes(api, deps)
  registerFolderRoutes(api, deps)
  registerDomainRoutes(api, deps)
  registerDomainSetupRoute(api, deps)
  registerMissRoutes(api, deps)
  registerShareRoutes(api, deps)
  registerKeyRoutes(api, deps)
  registerEventRoutes(api, deps)
  registerWebhookRoutes(api, deps)
  registerStatisticsRoutes(api, deps)
}

/** Endpoints of the dashboard's API only. */
function registerDashboardEndpoints(api: Pick<Api, 'add'>, deps: DashboardDeps): void {
  registerAccountRoutes(api, deps)
  registerLinkCheckRoute(api, deps)
  registerPageDetailsRoute(api, deps)
  registerMemberRoutes(api, deps)
  registerWorkspaceRoutes(api, deps)
  registerExcludedNetworkRoutes(api, deps)
  registerQrStyleRoutes(api, deps)
  registerAuditRoutes(api, deps)
  registerUsageRoutes(api, deps)
  registerInstanceRoutes(api, deps)
  registerInstanceMissRoutes(api, deps)
  registerBlockRoutes(api, deps)
  registerViewRoutes(api, deps)
}

function documentOf(endpoints: Api['endpoints'], forDashboard = false): string {
  return `${JSON.stringify(openApiDocument(endpoints, forDashboard), null, 2)}\n`
}
