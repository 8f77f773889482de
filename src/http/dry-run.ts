import { z } from '@hono/zod-openapi'

/** The parameter of endpoints with `dryRun`; others refuse it, instead of writing. */
export const DryRunQuery = z.object({ dry_run: z.enum(['true', 'false']).optional() })
