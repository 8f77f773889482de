import { z } from '@hono/zod-openapi'
import type { StatisticsService } from '../service.ts'

/** What the endpoints of statistics have in common. */
export const TAG = 'Statistics'

/** Whose clicks an endpoint is about: every endpoint is there for both. */
export interface Audience {
  of: 'link' | 'workspace'
  /** What stands before `/stats` and `/clicks`. */
  prefix: string
  /** Follows the verb in operation ids: `getLinkStats`, `getStats`. */
  operation: 'Link' | ''
  /** How the reference calls them. */
  whose: string
}

export const AUDIENCES: readonly Audience[] = [
  { of: 'link', prefix: '/api/v1/links/{id}', operation: 'Link', whose: 'a link' },
  { of: 'workspace', prefix: '/api/v1', operation: '', whose: 'the workspace' },
]

const LinkId = z.string().openapi({
  description: 'The id of the link.',
  example: 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8',
})

/** The parameters of a path; on a workspace's paths there is no id. */
export function pathParams<S extends z.ZodRawShape>({ of }: Audience, shape: S) {
  return z.object({ ...(of === 'link' ? { id: LinkId } : {}), ...shape })
}

/** The link that a path names, or null. */
export function linkIdOf(params: unknown): string | null {
  return (params as { id?: string } | undefined)?.id ?? null
}

/** The service, asked only when a request comes: the document is made without it. */
export interface StatisticsRoutesDeps {
  statistics: StatisticsService
}
