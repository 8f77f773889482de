import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { answerOk, describeOne } from '../../http/respond.ts'
import { boundedText } from '../../lib/validation/checked.ts'
import { BOUNDS } from '../../model/links/values.ts'
import { writerOf } from '../audit/index.ts'
import type { LinkSchemas } from './fields.ts'
import type { LinkName } from './find.ts'
import { LINK_EXAMPLE, LinkSchema } from './schemas.ts'
import type { LinkService } from './service.ts'

const READ = { scope: 'links:read', tag: 'Links' } as const
const WRITE = { scope: 'links:write', dryRun: true, tag: 'Links' } as const
const oneLink = describeOne('link', LinkSchema, LINK_EXAMPLE)

/** A path that names one link. */
interface LinkPath<P extends z.ZodType> {
  path: string
  params: P
  nameOf: (params: z.output<P>) => LinkName
  /** Appended to the operations' ids and summaries. */
  suffix: { id: string; text: string }
}

/** By its id. */
export const BY_ID = {
  path: '/api/v1/links/{id}',
  params: z.object({
    id: z.string().openapi({ description: 'The id of the link.', example: LINK_EXAMPLE.id }),
  }),
  nameOf: ({ id }: { id: string }) => id,
  suffix: { id: '', text: '' },
}

/** By its external id. */
export const BY_EXTERNAL_ID = {
  path: '/api/v1/links/external/{external_id}',
  params: z.object({
    external_id: boundedText({ max: BOUNDS.external_id, min: 1 }).openapi({
      param: { description: "The link's id in your own system." },
      example: LINK_EXAMPLE.external_id,
    }),
  }),
  nameOf: (params: { external_id: string }) => params,
  suffix: { id: 'ByExternalId', text: ' by its external id' },
}

/** The endpoints of one link: get, update, delete. */
export function registerOneLinkRoutes<P extends z.ZodType>(
  api: Pick<Api, 'add'>,
  { links }: { links: LinkService },
  { patch }: LinkSchemas,
  { path, params, nameOf, suffix }: LinkPath<P>,
): void {
  endpoint(api, {
    ...READ,
    path,
    params,
    method: 'get',
    operationId: `getLink${suffix.id}`,
    summary: `Get a link${suffix.text}`,
    success: oneLink(200, 'The link.'),
    errors: ['LINK_NOT_FOUND'],
    handler: async (call) => answerOk(await links.get(call.caller, nameOf(call.params))),
  })

  endpoint(api, {
    ...WRITE,
    path,
    params,
    method: 'patch',
    operationId: `updateLink${suffix.id}`,
    summary: `Update a link${suffix.text}`,
    description:
      'A JSON merge patch (RFC 7396): what is absent stays, null clears. A slug or domain that the ' +
      'link moves away from joins its aliases, unless the request gives `aliases`. A patch that ' +
      'changes nothing leaves the version as it is.',
    body: patch,
    bodyExample: { title: 'Summer sale, extended', expires_at: null },
    success: oneLink(200, 'The link as it is now.'),
    errors: [
      'LINK_NOT_FOUND',
      'SLUG_TAKEN',
      'EXTERNAL_ID_TAKEN',
      'PLAN_LIMIT_REACHED',
      'PRECONDITION_FAILED',
    ],
    async handler(call) {
      const { body, ifMatch, mutate } = call
      const caller = writerOf(call)
      const name = nameOf(call.params)
      const prepared = await links.preparePatch(caller, name, body, ifMatch)
      return mutate(async (tx) => {
        const link = await links.update(tx, caller, name, prepared, ifMatch)
        return answerOk(links.warned(link, call))
      })
    },
  })

  endpoint(api, {
    ...WRITE,
    path,
    params,
    method: 'delete',
    operationId: `deleteLink${suffix.id}`,
    summary: `Delete a link${suffix.text}`,
    description:
      'The redirect stops immediately. The slug stays reserved: no other workspace ever gets it. ' +
      'For 7 days the link can be restored, with its clicks.',
    success: { status: 204, description: 'The link is deleted.' },
    errors: ['LINK_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: (call) =>
      call.mutate((tx) => links.remove(tx, writerOf(call), nameOf(call.params), call.ifMatch)),
  })
}
