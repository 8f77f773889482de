import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { answerCreated, answerOk, describeOne } from '../../http/respond.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { someText } from '../../lib/validation/checked.ts'
import { URL_LENGTH_MAX } from '../../model/links/values.ts'
import { writerOf } from '../audit/index.ts'
import type { LinkSchemas } from './fields.ts'
import { BY_EXTERNAL_ID } from './one-link-routes.ts'
import { LINK_EXAMPLE, LinkSchema } from './schemas.ts'
import type { LinkService } from './service.ts'

const READ = { scope: 'links:read', tag: 'Links' } as const
const WRITE = { scope: 'links:write', dryRun: true, tag: 'Links' } as const
const oneLink = describeOne('link', LinkSchema, LINK_EXAMPLE)

const LookupQuery = z.object({
  url: someText.max(URL_LENGTH_MAX).openapi({
    param: { description: 'A short address of the instance, with or without `https://`.' },
    example: LINK_EXAMPLE.short_url,
  }),
})

/** The endpoints that find a link by its address or its external id. */
export function registerLookupRoutes(
  api: Pick<Api, 'add'>,
  { links }: { links: LinkService },
  { create }: LinkSchemas,
): void {
  endpoint(api, {
    ...READ,
    method: 'get',
    path: '/api/v1/links/lookup',
    operationId: 'lookUpLink',
    summary: 'Look up a short link',
    description:
      'The link that a short address leads to: by its slug, by an alias, or because its `match` is `prefix` ' +
      'and the address is below one of them.',
    query: LookupQuery,
    success: oneLink(200, 'The link.'),
    errors: ['LINK_NOT_FOUND'],
    handler: async ({ caller, query }) => answerOk(await links.lookUp(caller, query.url)),
  })

  endpoint(api, {
    ...WRITE,
    method: 'put',
    path: BY_EXTERNAL_ID.path,
    operationId: 'putLinkByExternalId',
    summary: 'Create or update a link by external ID',
    description:
      'Creates a link with this `external_id` (201), or merges into the one that has it (200): ' +
      'absent fields stay as they are, also of an existing link. Sent twice, it creates one link.',
    params: BY_EXTERNAL_ID.params,
    body: create,
    bodyExample: { destination_url: LINK_EXAMPLE.destination_url, title: LINK_EXAMPLE.title },
    success: {
      ...oneLink(200, 'The link as it is now.'),
      created: 'The created link.',
    },
    errors: ['SLUG_TAKEN', 'EXTERNAL_ID_TAKEN', 'PLAN_LIMIT_REACHED', 'PRECONDITION_FAILED'],
    async handler(call) {
      const { body, params, ifMatch, mutate, request } = call
      const { external_id: id } = params
      if (body.external_id !== undefined && body.external_id !== id) {
        throw invalid({ field: 'external_id', code: 'INVALID_VALUE', params: { allowed: [id] } })
      }
      const caller = writerOf(call)
      const prepared = await links.prepareUpsert(caller, id, body, ifMatch)
      return mutate(async (tx) => {
        const { link, isNew } = await links.upsert(tx, caller, id, prepared, ifMatch)
        // There is no version that could match (RFC 9110 §13.1.1).
        if (isNew && request.headers.has('if-match')) throw new AppError('PRECONDITION_FAILED')
        const warned = links.warned(link, call)
        return isNew ? answerCreated('/api/v1/links', warned) : answerOk(warned)
      })
    },
  })
}
