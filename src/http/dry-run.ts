import { z } from '@hono/zod-openapi'
import { byParameter } from './details.ts'
import { queryOf, validate } from './request.ts'
import type { AnyEndpoint } from './types.ts'

const Query = z.object({ dry_run: z.enum(['true', 'false']).optional() })

/**
 * Whether a request of an endpoint that has `dryRun` asks what would be answered, by `?dry_run=true`.
 * Other endpoints refuse the parameter, so that a real write is never taken for a dry run.
 * @throws AppError VALIDATION_FAILED
 */
export function isDryRun({ dryRun }: AnyEndpoint, url: string): boolean {
  if (dryRun === undefined) return false
  return validate(Query, queryOf(url), byParameter).dry_run === 'true'
}
