import type { z } from '@hono/zod-openapi'
import { tryDecodeURIComponent } from 'hono/utils/url'
import { AppError } from '../lib/errors/index.ts'
import { createMemoryLimiter } from '../platform/limits/index.ts'
import { readOnlyMembersOf } from './added-endpoint.ts'
import { DASHBOARD_PREFIX } from './admission.ts'
import { deprecationHeaders } from './deprecation.ts'
import { parametersOf } from './details.ts'
import { createIdempotency } from './idempotency.ts'
import { ACCEPT_PATCH, pathOf } from './request.ts'
import { RequestContext } from './request-context.ts'
import { preflightHeaders } from './respond.ts'
import { createRouter } from './router.ts'
import type { Services } from './services.ts'
import type {
  AnyEndpoint,
  ApiDeps,
  Endpoint,
  ErrorPage,
  Mounted,
  Page,
  RequestInfo,
  Scoped,
} from './types.ts'

/** Adds an endpoint to the API. */
export function endpoint<
  S extends Scoped,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(api: Pick<Api, 'add'>, definition: Endpoint<S, P, Q, B>): void {
  api.add(definition as unknown as AnyEndpoint)
}

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

/** The endpoint of a path and a method. */
interface Route {
  endpoint?: AnyEndpoint
  answer(context: RequestContext, params: Record<string, string>): Promise<Response>
}

/** The API; endpoints are added by {@link endpoint}. */
export type Api = ReturnType<typeof createApi>

/**
 * Creates the public API; with `sessions` the dashboard's: the same endpoints under `/app`, for
 * signed-in people instead of keys, and for same-origin requests only.
 */
export function createApi(deps: ApiDeps) {
  const limiter = deps.limiter ?? createMemoryLimiter()
  const services: Services = {
    ...deps,
    idempotency: createIdempotency(deps.storage, deps.clock),
    limiter,
    planLimiter: deps.planLimiter ?? limiter,
    anonymousLimiter: deps.anonymousLimiter ?? createMemoryLimiter(),
  }
  const prefix = deps.sessions === undefined ? '' : DASHBOARD_PREFIX
  const endpoints: AnyEndpoint[] = []
  const router = createRouter<Route>()

  function find(method: string, path: string) {
    return router.match(method === 'HEAD' ? 'GET' : method, path)
  }

  /** Handles OPTIONS, unsupported methods and unknown paths. */
  async function unmatched(context: RequestContext): Promise<Response> {
    const { request, headers } = context
    const path = pathOf(request.url)
    const methods: string[] = METHODS.filter((method) => find(method, path) !== undefined)
    // The public API identifies keys on every request, the dashboard's sessions only on endpoints.
    const refuse = (error: AppError) =>
      deps.sessions === undefined ? context.refuse(error) : context.fail(error)
    if (methods.length === 0) return refuse(new AppError('NOT_FOUND'))
    methods.push('OPTIONS')
    const allow = methods.join(', ')
    if (request.method !== 'OPTIONS') {
      const params = { allowed: methods }
      return refuse(new AppError('METHOD_NOT_ALLOWED', { params, headers: { Allow: allow } }))
    }
    if (deps.sessions === undefined) Object.assign(headers, preflightHeaders(allow))
    headers.Allow = allow
    if (methods.includes('PATCH')) headers['Accept-Patch'] = ACCEPT_PATCH
    return new Response(null, { status: 204, headers })
  }

  return {
    /** All endpoints of the OpenAPI document. */
    endpoints: endpoints as readonly AnyEndpoint[],
    add(declared: AnyEndpoint): void {
      const parameters = new Set(['lang', ...parametersOf(declared.query)])
      if (deps.sessions !== undefined) parameters.add('workspace')
      if (declared.dryRun) parameters.add('dry_run')
      const path = prefix + declared.path
      const readOnlyMembers = readOnlyMembersOf(declared)
      const reader = () => endpoints.find((one) => one.method === 'get' && one.path === path)
      const definition = { ...declared, path, parameters, readOnlyMembers, reader }
      const { deprecated } = declared
      const deprecation = deprecated && deprecationHeaders(deprecated)
      if (declared.resourceMetadata === undefined) endpoints.push(definition)
      router.add(definition.method.toUpperCase(), definition.path, {
        endpoint: definition,
        answer: (context, params) => {
          Object.assign(context.headers, deprecation)
          return context.run(definition, params)
        },
      })
    },
    /** Adds a page that serves GET and HEAD; `errorPage` renders its errors. */
    addPage(path: string, page: Page, errorPage?: ErrorPage): void {
      router.add('GET', path, { answer: (context) => context.serve(page, errorPage) })
    },
    /** Forwards every request below a path. */
    mount(path: string, mounted: Mounted): void {
      router.addBelow(path, { answer: (context) => context.pass(mounted) })
    },
    /** Handles every request; never rejects. */
    async fetch(request: Request, info: RequestInfo): Promise<Response> {
      const start = performance.now()
      const { route, params = {} } = find(request.method, pathOf(request.url)) ?? {}
      const requestId = deps.ids.next('req')
      const context = new RequestContext(services, route?.endpoint, request, info, requestId)
      const response = await (route === undefined
        ? unmatched(context)
        : route.answer(context, decoded(params)))
      report(services, context, response.status, performance.now() - start)
      return response
    },
  }
}

function decoded(params: Record<string, string>): Record<string, string> {
  const entries = Object.entries(params)
  return Object.fromEntries(entries.map(([name, value]) => [name, tryDecodeURIComponent(value)]))
}

/** A client's request id of this form is logged, but never echoed. */
const CLIENT_ID = /^[A-Za-z0-9._-]{8,128}$/

/** Logs the response without addresses, queries or secrets. */
function report(services: Services, context: RequestContext, status: number, ms: number): void {
  const { request, requestId, endpoint, caller } = context
  const { method, headers } = request
  const durationMs = Math.round(ms * 1000) / 1000
  const route = endpoint?.path ?? null
  const isKey = caller?.kind === 'api_key'
  services.logger.info(
    {
      request_id: requestId,
      client_request_id: CLIENT_ID.exec(headers.get('x-request-id') ?? '')?.[0],
      method,
      route,
      status,
      duration_ms: durationMs,
      workspace_id: caller?.workspace.id,
      key_id: isKey ? caller.keyId : undefined,
      user_id: context.person?.userId,
    },
    'request',
  )
  const workspaceNo = isKey ? caller.workspace.no : null
  const event = { request, requestId, method, route, status, durationMs, workspaceNo }
  for (const observe of services.observers ?? []) observe(event)
}
