import { z } from '@hono/zod-openapi'
import type { Api } from '../../http/index.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { type CheckedQuery, clicksQueryOf, type QuerySchemas } from '../query.ts'
import type { StatisticsReader } from '../selection.ts'
import type { StatisticsService } from '../service.ts'

/** What all statistics endpoints have. */
export const READ = { method: 'get', scope: 'stats:read', tag: 'Statistics' } as const

/**
 * Whose clicks an endpoint is about: every endpoint exists for both. `operation` follows the verb in
 * operation ids, such as `getLinkStats`; `whose` is the name in the reference.
 */
export const AUDIENCES = [
  { of: 'link', prefix: '/api/v1/links/{id}', operation: 'Link', whose: 'a link' },
  { of: 'workspace', prefix: '/api/v1', operation: '', whose: 'the workspace' },
] as const

const LinkId = z.string().openapi({
  description: 'The id of the link.',
  example: 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8',
})

/** The parameters of a path. The workspace's paths have no id. */
export function pathParams<S extends z.ZodRawShape>({ of }: (typeof AUDIENCES)[number], shape: S) {
  return z.object({ ...(of === 'link' ? { id: LinkId } : {}), ...shape })
}

/** What the path of a question can name that isn't there. */
export function notFoundOf({ of }: (typeof AUDIENCES)[number]) {
  return of === 'link' ? (['LINK_NOT_FOUND'] as const) : []
}

/** The question of a call, whose query was checked by one of the statistics schemas. */
export function questionOf(call: { caller: StatisticsReader; params?: unknown; query: unknown }) {
  const checked = call.query as CheckedQuery
  const { interval, limit, cursor } = checked
  return {
    caller: call.caller,
    linkId: (call.params as { id?: string } | undefined)?.id ?? null,
    query: { ...clicksQueryOf(checked), interval, limit, cursor },
  }
}

/** The service is a property, because the API document is made without one. */
export interface StatisticsRoutesDeps {
  statistics: StatisticsService
  clock: Clock
}

/** What endpoints are registered with. */
export interface Registration {
  api: Pick<Api, 'add'>
  deps: StatisticsRoutesDeps
  queries: QuerySchemas
}
