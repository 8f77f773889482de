import { createDocs, type ReferenceDocument } from './docs/index.ts'
import {
  type Api,
  type ApiDeps,
  createApi,
  openApiDocument,
  type RequestInfo,
} from './http/index.ts'
import { registerLinkRoutes } from './links/routes.ts'
import { registerPlanRoutes } from './plans/routes.ts'

/** The services behind the endpoints. */
export type EndpointDeps = Parameters<typeof registerPlanRoutes>[1] &
  Parameters<typeof registerLinkRoutes>[1]

/** What the application is made of. */
export type AppDeps = ApiDeps & EndpointDeps

/** The API, its document and its reference page: request → response, without a listener. */
export interface App {
  /** Whether a path is the application's; whatever else comes may be a short link. */
  owns(path: string): boolean
  /** Answers whatever comes; never rejects. */
  fetch(request: Request, info: RequestInfo): Response | Promise<Response>
}

const OWN = /^\/(?:api|docs|openapi\.json)(?:\/|$)/

/** Builds the application. */
export function createApp(deps: AppDeps): App {
  const api = createApi(deps)
  registerEndpoints(api, deps)

  // Made when it is first asked for: most processes are never asked, and all start.
  let text: string | undefined
  const documentText = () => {
    text ??= documentOf(api.endpoints)
    return text
  }
  const openApi = () => {
    const body = documentText()
    const etag = `"${Bun.hash(body).toString(36)}"`
    return { status: 200, text: body, headers: { 'Content-Type': 'application/json', ETag: etag } }
  }
  api.addPage('/openapi.json', openApi)
  api.addPage('/api/v1/openapi.json', openApi)
  api.addPage(
    '/docs',
    createDocs({
      document: () => JSON.parse(documentText()) as ReferenceDocument,
      baseUrl: deps.baseUrl,
    }),
  )
  return { owns: (path) => OWN.test(path), fetch: api.fetch }
}

/** The OpenAPI document as it is served and committed. */
export function describeApi(deps: EndpointDeps): string {
  const endpoints: Api['endpoints'][number][] = []
  registerEndpoints({ add: (endpoint) => void endpoints.push(endpoint) }, deps)
  return documentOf(endpoints)
}

function registerEndpoints(api: Pick<Api, 'add'>, deps: EndpointDeps): void {
  registerPlanRoutes(api, deps)
  registerLinkRoutes(api, deps)
}

function documentOf(endpoints: Api['endpoints']): string {
  return `${JSON.stringify(openApiDocument(endpoints), null, 2)}\n`
}
