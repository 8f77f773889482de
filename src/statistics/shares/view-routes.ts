import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { type CheckedQuery, clicksQueryOf, createSharedQuerySchemas } from '../query.ts'
import { STATS_EXAMPLE, StatsSchema, TOP_EXAMPLE } from '../schemas.ts'
import type { StatisticsService } from '../service.ts'
import { SHARE_EXAMPLE } from './schemas.ts'
import type { ShareViews, Viewer } from './view.ts'
import { ABOUT_EXAMPLE, AboutSchema, AccessSchema, SharedTopSchema } from './view-schemas.ts'

/** Dependencies of the viewers' endpoints. */
interface ShareViewDeps {
  shareViews: ShareViews
  statistics: StatisticsService
}

const PATH = '/shared/{token}'
const READ = { method: 'get', scope: null, tag: 'Shared statistics' } as const
/** Revalidated each time, so that ending a share takes effect with the next request. */
const CACHE = { cacheControl: 'private, no-cache' } as const
const HEADERS = { 'X-Robots-Tag': 'noindex' }
const ERRORS = ['SHARE_NOT_FOUND', 'SHARE_EXPIRED', 'SHARE_PROTECTED'] as const

const token = z.string().openapi({
  description: 'The 32 characters of the share’s `url`.',
  example: SHARE_EXAMPLE.url.slice(-32),
})

function viewerOf(call: { request: Request; params: { token: string } }): Viewer {
  const access = /^bearer (\S+)$/i.exec(call.request.headers.get('authorization') ?? '')?.[1]
  return { token: call.params.token, access: access ?? null }
}

function questionOf(query: unknown) {
  const checked = query as CheckedQuery
  const { interval, limit } = checked
  return { ...clicksQueryOf(checked), interval, limit, cursor: undefined }
}

/** The endpoints for bearers of a share's token, in the public API only. */
export function registerSharedRoutes(api: Pick<Api, 'add'>, deps: ShareViewDeps): void {
  registerOpening(api, deps)
  registerReports(api, deps)
}

/** What a viewer needs before the statistics. */
function registerOpening(api: Pick<Api, 'add'>, deps: ShareViewDeps): void {
  endpoint(api, {
    ...READ,
    path: `${PATH}/about`,
    operationId: 'getSharedAbout',
    summary: 'Get a share’s settings',
    description:
      'Needs no API key; if the share has a password, it must be entered first. Counts as a view.',
    params: z.object({ token }),
    success: {
      status: 200,
      description: 'What it is about.',
      schema: AboutSchema,
      example: ABOUT_EXAMPLE,
    },
    errors: ERRORS,
    handler: async (call) => ({
      status: 200,
      body: await deps.shareViews.about(viewerOf(call)),
      headers: HEADERS,
    }),
  })

  endpoint(api, {
    method: 'post',
    scope: null,
    secret: true,
    tag: READ.tag,
    path: `${PATH}/password`,
    operationId: 'unlockShare',
    summary: 'Enter the password of a share',
    description: 'Attempts are limited by address and by share.',
    params: z.object({ token }),
    body: z.strictObject({ password: z.string() }).openapi('SharePassword'),
    bodyExample: { password: 'over the hills' },
    success: {
      status: 200,
      description: 'A token that replaces the password for some hours.',
      schema: AccessSchema,
      example: { access: 'mb3k2q.c2hhcmVk', expires_at: '2026-05-01T20:00:00.000Z' },
    },
    errors: ERRORS,
    async handler({ params, body, address }) {
      const opened = await deps.shareViews.unlock(params.token, body.password, address)
      return { status: 200, body: opened, headers: HEADERS }
    },
  })
}

/** The statistics. */
function registerReports(api: Pick<Api, 'add'>, deps: ShareViewDeps): void {
  const queries = createSharedQuerySchemas(() => deps.statistics.domains)

  endpoint(api, {
    ...READ,
    ...CACHE,
    path: `${PATH}/stats`,
    operationId: 'getSharedStats',
    summary: 'Get shared clicks over time',
    description: 'Can only be filtered by dimensions that the share shows.',
    params: z.object({ token }),
    query: queries.stats,
    success: {
      status: 200,
      description: 'The numbers.',
      schema: StatsSchema,
      example: STATS_EXAMPLE,
    },
    errors: ERRORS,
    async handler(call) {
      const { signal } = call.request
      const query = questionOf(call.query)
      const stats = await deps.shareViews.stats(viewerOf(call), query, signal)
      return { status: 200, body: stats, headers: HEADERS }
    },
  })

  endpoint(api, {
    ...READ,
    ...CACHE,
    path: `${PATH}/stats/{dimension}`,
    operationId: 'listSharedTopValues',
    summary: 'Get shared top values of a dimension',
    description:
      'The dimension must be one that the share shows. Links are named by their short link, folders by their name.',
    params: z.object({
      token,
      dimension: z.string().openapi({ description: 'One of `dimensions`.', example: 'country' }),
    }),
    query: queries.top,
    success: {
      status: 200,
      description: 'The values, most clicks first.',
      schema: SharedTopSchema,
      example: TOP_EXAMPLE,
    },
    errors: [...ERRORS, 'NOT_FOUND'],
    async handler(call) {
      const { signal } = call.request
      const { dimension } = call.params
      const query = questionOf(call.query)
      const body = await deps.shareViews.top(viewerOf(call), query, dimension, signal)
      return { status: 200, body, headers: HEADERS }
    },
  })
}
