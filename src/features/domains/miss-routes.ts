import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { listOf, pageAnswer, pageParameters, pageSuccess } from '../../http/page.ts'
import type { Misses } from './misses.ts'
import { DOMAIN_EXAMPLE } from './schemas.ts'
import type { DomainService } from './service.ts'

const EXAMPLE = {
  path: '/summer-sale',
  count: 41,
  first_at: '2026-05-02T07:31:00.000Z',
  last_at: '2026-05-09T18:04:12.000Z',
}

const MissedPathSchema = z
  .object({
    path: z
      .string()
      .openapi({ description: 'As it was first requested, decoded; without its query.' }),
    count: z.int().min(1).openapi({ description: 'How often it was requested.' }),
    first_at: z.string().openapi({ format: 'date-time' }),
    last_at: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('MissedPath', { example: EXAMPLE })

const MissedPathListSchema = listOf(MissedPathSchema).openapi('MissedPathList')

const query = {
  sort: z
    .enum(['count', 'last_at'])
    .default('count')
    .openapi({ param: { description: 'The most requested first, or the latest.' } }),
  ...pageParameters,
}

const success = pageSuccess('One page of paths.', MissedPathListSchema, EXAMPLE)

/** Dependencies of the endpoints of missed visits. */
interface MissRouteDeps {
  misses: Misses
  ownDomains: Pick<DomainService, 'find'>
}

/** The missed visits of a workspace's domain. */
export function registerMissRoutes(api: Pick<Api, 'add'>, deps: MissRouteDeps): void {
  endpoint(api, {
    scope: 'domains:read',
    tag: 'Domains',
    method: 'get',
    path: '/api/v1/domains/{id}/misses',
    operationId: 'listMissedVisits',
    summary: 'List missed visits',
    description:
      'Paths that were requested but lead nowhere, for 90 days after the last visit. A domain keeps ' +
      'the 10,000 most requested. The root, files that browsers request on their own, link previews ' +
      'and crawlers don’t count. Nothing about visitors is kept.',
    params: z.object({
      id: z.string().openapi({ description: 'The id of the domain.', example: DOMAIN_EXAMPLE.id }),
    }),
    query: z.object(query),
    success,
    errors: ['BAD_REQUEST', 'DOMAIN_NOT_FOUND'],
    async handler(call) {
      const { no } = await deps.ownDomains.find(call.caller, call.params.id)
      return pageAnswer(call, await deps.misses.list(no, call.query))
    },
  })
}

/** Those of the hosts that all workspaces share, for the owner of the instance. */
export function registerInstanceMissRoutes(
  api: Pick<Api, 'add'>,
  deps: Pick<MissRouteDeps, 'misses'>,
): void {
  endpoint(api, {
    scope: null,
    person: 'instance owner',
    tag: 'Instance',
    method: 'get',
    path: '/api/v1/instance/misses',
    operationId: 'listInstanceMissedVisits',
    summary: 'List missed visits of an instance host',
    query: z.object({ domain: z.string().max(300).optional(), ...query }),
    success,
    errors: ['FORBIDDEN', 'BAD_REQUEST', 'DOMAIN_NOT_FOUND'],
    async handler(call) {
      const { domain, ...page } = call.query
      return pageAnswer(call, await deps.misses.listShared(domain, page))
    },
  })
}
