import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { LINK_EXAMPLE } from '../links/schemas.ts'
import {
  EXPLANATION_EXAMPLE,
  ExplainLinkSchema,
  ExplainUrlSchema,
  ExplanationSchema,
} from './schemas.ts'
import type { ExplainService } from './service.ts'

const SUCCESS = {
  status: 200 as const,
  description: 'What would happen to the visit, and why.',
  schema: ExplanationSchema,
  example: EXPLANATION_EXAMPLE,
}
const NOTHING =
  'Decided by the code that redirects visitors; nothing is counted, and `max_clicks` isn’t used up.'

/** The endpoints that explain where a visitor would be redirected. */
export function registerExplainRoutes(
  api: Pick<Api, 'add'>,
  deps: { explain: ExplainService },
): void {
  endpoint(api, {
    method: 'post',
    path: '/api/v1/links/{id}/explain',
    scope: 'links:read',
    safe: true,
    operationId: 'explainLink',
    tag: 'Links',
    summary: 'Test where a link would redirect',
    description: NOTHING,
    params: z.object({
      id: z.string().openapi({ description: 'The id of the link.', example: LINK_EXAMPLE.id }),
    }),
    body: ExplainLinkSchema,
    bodyExample: { visitor: { country: 'DE', language: 'de' } },
    success: SUCCESS,
    errors: ['LINK_NOT_FOUND'],
    handler: async ({ caller, params, body, locale }) => ({
      status: 200,
      body: await deps.explain.byId(caller, params.id, body.visitor ?? {}, locale),
    }),
  })
  endpoint(api, {
    method: 'post',
    path: '/api/v1/explain',
    scope: 'links:read',
    safe: true,
    operationId: 'explainUrl',
    tag: 'Links',
    summary: 'Test where a short link would redirect',
    description: `${NOTHING} An address of another workspace is treated as one that doesn’t exist.`,
    body: ExplainUrlSchema,
    bodyExample: { url: 'https://go.example.com/summer-sale', visitor: { country: 'DE' } },
    success: SUCCESS,
    handler: async ({ caller, body, locale }) => ({
      status: 200,
      body: await deps.explain.byUrl(caller, body.url, body.visitor ?? {}, locale),
    }),
  })
}
