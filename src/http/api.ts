import type { z } from '@hono/zod-openapi'
import { TrieRouter } from 'hono/router/trie-router'
import type { Ids } from '../base/ids.ts'
import { AppError } from '../errors/index.ts'
import { createMemoryLimiter, type Limiter } from '../limits/index.ts'
import { DASHBOARD_PREFIX } from './authenticate.ts'
import { ACCEPT_PATCH } from './body.ts'
import { Exchange } from './exchange.ts'
import { createIdempotency } from './idempotency.ts'
import { preflightHeaders } from './respond.ts'
import type { RequestInfo, Services } from './services.ts'
import type { AnyEndpoint, Endpoint, Mounted, Page, Scoped } from './types.ts'
import { pathOf } from './validate.ts'

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

/** The API; endpoints are added by {@link endpoint}. */
export interface Api {
  /** All endpoints, for the OpenAPI document. */
  readonly endpoints: readonly AnyEndpoint[]
  add(definition: AnyEndpoint): void
  /** Adds a page that answers GET and HEAD. */
  addPage(path: string, page: Page): void
  /** Hands on every request below a path. */
  mount(path: string, mounted: Mounted): void
  /** Answers every request; never rejects. */
  fetch(request: Request, info: RequestInfo): Promise<Response>
}

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

/** What a path and a method lead to. */
interface Route {
  endpoint?: AnyEndpoint
  answer(exchange: Exchange, params: Record<string, string>): Promise<Response>
}

/**
 * Builds the public API; with `sessions` the dashboard's: the same endpoints under `/app`, for
 * signed-in people instead of keys, and for no other site.
 */
export function createApi(deps: ApiDeps): Api {
  const limiter = deps.limiter ?? createMemoryLimiter()
  const services: Services = {
    ...deps,
    idempotency: createIdempotency(deps.storage, deps.clock),
    limiter,
    planLimiter: deps.planLimiter ?? limiter,
    anonymousLimiter: deps.anonymousLimiter ?? createMemoryLimiter(),
    anonymousPolicy: { ratePerMinute: deps.anonymousPerMinute, burst: deps.anonymousPerMinute },
  }
  const prefix = deps.sessions === undefined ? '' : DASHBOARD_PREFIX
  const endpoints: AnyEndpoint[] = []
  const router = new TrieRouter<Route>()

  function find(method: string, path: string) {
    const [found] = router.match(method === 'HEAD' ? 'GET' : method, path)[0]
    return found as [Route, Record<string, string>] | undefined
  }

  /** OPTIONS of a path that exists, a method that it lacks, or no such path. */
  async function unmatched(exchange: Exchange): Promise<Response> {
    const { request, headers } = exchange
    const path = pathOf(request.url)
    const methods: string[] = METHODS.filter((method) => find(method, path) !== undefined)
    // Keys are known to every request of the public API, sessions to endpoints alone.
    const refuse = (error: AppError) =>
      deps.sessions === undefined ? exchange.refuse(error) : exchange.fail(error)
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
    endpoints,
    add(declared) {
      const definition = { ...declared, path: prefix + declared.path }
      endpoints.push(definition)
      router.add(definition.method.toUpperCase(), definition.path.replaceAll(/\{(.+?)\}/g, ':$1'), {
        endpoint: definition,
        answer: (exchange, params) => exchange.run(definition, params),
      })
    },
    addPage(path, page) {
      router.add('GET', path, { answer: (exchange) => exchange.serve(page) })
    },
    mount(path, mounted) {
      router.add('ALL', `${path}/*`, { answer: (exchange) => exchange.pass(mounted) })
    },
    async fetch(request, info) {
      const start = performance.now()
      const [route, params] = find(request.method, pathOf(request.url)) ?? []
      const requestId = deps.ids.next('req')
      const exchange = new Exchange(services, route?.endpoint, request, info, requestId)
      const response = await (route === undefined
        ? unmatched(exchange)
        : route.answer(exchange, decoded(params ?? {})))
      report(services, exchange, response.status, performance.now() - start)
      return response
    },
  }
}

/** What can't be decoded stays as it is: it names nothing. */
function decoded(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)]
      } catch {
        return [name, value]
      }
    }),
  )
}

const CLIENT_ID = /^[A-Za-z0-9._-]{8,128}$/

/** The id that the client gave its request, if it is fit to be logged. It is never echoed. */
function clientRequestId(headers: Headers): string | undefined {
  const given = headers.get('x-request-id')
  return given !== null && CLIENT_ID.test(given) ? given : undefined
}

/** Logs the answer: no address, no query, no secret. */
function report(services: Services, exchange: Exchange, status: number, ms: number): void {
  const { request, requestId, endpoint, caller } = exchange
  const durationMs = Math.round(ms * 1000) / 1000
  const route = endpoint?.path ?? null
  const { method } = request
  services.logger.info(
    {
      request_id: requestId,
      client_request_id: clientRequestId(request.headers),
      method,
      route,
      status,
      duration_ms: durationMs,
      workspace_id: caller?.workspace.id,
      key_id: caller?.kind === 'api_key' ? caller.keyId : undefined,
      user_id: exchange.person?.userId,
    },
    'request',
  )
  const workspaceNo = caller?.kind === 'api_key' ? caller.workspace.no : null
  services.observe?.({ requestId, method, route, status, durationMs, workspaceNo })
}
