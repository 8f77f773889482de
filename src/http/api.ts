import { type Context, Hono } from 'hono'
import type { Ids } from '../base/ids.ts'
import { AppError } from '../errors/index.ts'
import { createMemoryLimiter, type Limiter } from '../limits/index.ts'
import { DASHBOARD_PREFIX } from './admit-person.ts'
import { ACCEPT_PATCH } from './body.ts'
import { preflightHeaders } from './cors.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { Exchange, type Mounted, type Page } from './exchange.ts'
import { apiHeaders, dashboardHeaders } from './headers.ts'
import { createIdempotency } from './idempotency.ts'
import { pathOf } from './query.ts'
import { clientRequestId, createRequestIds } from './request-id.ts'
import { createRouteTable } from './routes.ts'
import type { RequestInfo, Services } from './services.ts'

/** What the HTTP layer needs from the rest. */
export interface ApiDeps
  extends Pick<
    Services,
    | 'storage'
    | 'clock'
    | 'logger'
    | 'authenticate'
    | 'clientAddress'
    | 'baseUrl'
    | 'pseudoLocales'
    | 'observe'
    | 'sessions'
  > {
  ids: Ids
  /** Requests per minute that one address may send without a key. */
  anonymousPerMinute: number
  /** Counts the requests of workspaces, with `sessions` those of people. Default: in memory. */
  limiter?: Limiter | undefined
  /** Counts by plan what people write, as the public API counts keys. Default: `limiter`. */
  planLimiter?: Limiter | undefined
  /** Counts the requests of addresses without a key. Default: in memory. */
  anonymousLimiter?: Limiter | undefined
}

/** The API; endpoints are added by `endpoint`. */
export interface Api {
  /** All that was added, for the OpenAPI document. */
  readonly endpoints: readonly AnyEndpoint[]
  add(definition: AnyEndpoint): void
  /** Adds a page that answers GET and HEAD. */
  addPage(path: string, page: Page): void
  /** Hands on whatever comes below a path. */
  mount(path: string, mounted: Mounted): void
  /** Answers whatever comes; never rejects. */
  fetch(request: Request, info: RequestInfo): Response | Promise<Response>
}

/**
 * Builds the public API; with `sessions` the dashboard's: the same endpoints under `/app`, for
 * people who are signed in instead of keys, and for no other site.
 */
export function createApi(deps: ApiDeps): Api {
  const requestIds = createRequestIds(deps.ids)
  const limiter = deps.limiter ?? createMemoryLimiter()
  const services: Services = {
    ...deps,
    requestIds,
    idempotency: createIdempotency(deps.storage, deps.clock),
    limiter,
    planLimiter: deps.planLimiter ?? limiter,
    anonymousLimiter: deps.anonymousLimiter ?? createMemoryLimiter(),
    anonymousPolicy: { ratePerMinute: deps.anonymousPerMinute, burst: deps.anonymousPerMinute },
  }
  const prefix = deps.sessions === undefined ? '' : DASHBOARD_PREFIX
  const endpoints: AnyEndpoint[] = []
  const table = createRouteTable()
  const hono = new Hono<{ Bindings: RequestInfo }>({ getPath: ({ url }) => pathOf(url) })

  /** Takes a request through `answer`, and reports it. */
  async function handle(
    { req, env }: Context<{ Bindings: RequestInfo }>,
    answer: (exchange: Exchange) => Response | Promise<Response>,
    endpoint?: AnyEndpoint,
  ): Promise<Response> {
    const start = performance.now()
    const exchange = new Exchange(services, endpoint, req.raw, env, requestIds())
    const response = await answer(exchange)
    report(services, exchange, response.status, performance.now() - start)
    return response
  }

  hono.notFound((context) => handle(context, unmatched))
  hono.onError((error, context) => handle(context, (exchange) => exchange.fail(error)))

  /** OPTIONS of a path that exists, a method that it lacks, or no such path. */
  function unmatched(exchange: Exchange): Response | Promise<Response> {
    const { request, requestId } = exchange
    const methods = table.methodsOf(pathOf(request.url))
    // A person's session is known by endpoints alone.
    const refuse = (error: AppError) =>
      deps.sessions === undefined ? exchange.refuse(error) : exchange.fail(error)
    if (methods === undefined) return refuse(new AppError('NOT_FOUND'))
    const allow = methods.join(', ')
    if (request.method !== 'OPTIONS') {
      return refuse(
        new AppError('METHOD_NOT_ALLOWED', {
          params: { allowed: methods },
          headers: { Allow: allow },
        }),
      )
    }
    const headers: Record<string, string> =
      deps.sessions === undefined
        ? { ...apiHeaders(requestId, deps.baseUrl()), ...preflightHeaders(allow) }
        : dashboardHeaders(requestId, deps.baseUrl())
    headers.Allow = allow
    if (methods.includes('PATCH')) headers['Accept-Patch'] = ACCEPT_PATCH
    return new Response(null, { status: 204, headers })
  }

  return {
    endpoints,
    add(declared) {
      const definition = { ...declared, path: prefix + declared.path }
      endpoints.push(definition)
      table.add(definition)
      const path = definition.path.replaceAll(/\{(.+?)\}/g, ':$1')
      hono.on(definition.method.toUpperCase(), path, (context) =>
        handle(context, (exchange) => exchange.run(definition, context.req.param()), definition),
      )
    },
    addPage(path, page) {
      table.add({ method: 'get', path })
      hono.get(path, (context) => handle(context, (exchange) => exchange.serve(page)))
    },
    mount(path, mounted) {
      hono.all(`${path}/*`, (context) => handle(context, (exchange) => exchange.pass(mounted)))
    },
    fetch: (request, info) => hono.fetch(request, info),
  }
}

/** Logs the answer: no address, no query, no secret. */
function report(services: Services, exchange: Exchange, status: number, ms: number): void {
  const { request, requestId, endpoint, caller } = exchange
  const durationMs = Math.round(ms * 1000) / 1000
  const route = endpoint?.path ?? null
  services.logger.info(
    {
      request_id: requestId,
      client_request_id: clientRequestId(request.headers),
      method: request.method,
      route,
      status,
      duration_ms: durationMs,
      workspace_id: caller?.workspace.id,
      key_id: caller?.kind === 'api_key' ? caller.keyId : undefined,
      user_id: exchange.person?.userId,
    },
    'request',
  )
  services.observe?.({
    requestId,
    method: request.method,
    route,
    status,
    durationMs,
    workspaceNo: caller?.kind === 'api_key' ? caller.workspace.no : null,
  })
}
