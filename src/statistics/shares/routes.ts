import { z } from '@hono/zod-openapi'
import { writerOf } from '../../features/audit/index.ts'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageParameters, pageSuccess } from '../../http/page.ts'
import { answerCreated, answerOk, describeOne } from '../../http/respond.ts'
import type { Domains } from '../../model/domains/index.ts'
import {
  createShareSchemas,
  SHARE_EXAMPLE,
  type Share,
  ShareListSchema,
  ShareSchema,
} from './schemas.ts'
import type { Hashed, ShareService } from './service.ts'

const PATH = '/api/v1/shares'
const READ = { scope: 'links:read', tag: 'Shared statistics' } as const
const WRITE = { scope: 'links:write', dryRun: true, tag: 'Shared statistics' } as const

const BY_ID = {
  path: `${PATH}/{id}`,
  params: z.object({
    id: z.string().openapi({ description: 'The id of the share.', example: SHARE_EXAMPLE.id }),
  }),
}

type Write = (tx: Parameters<ShareService['create']>[0], hashed: Hashed) => Promise<Share>

const one = describeOne('share', ShareSchema, SHARE_EXAMPLE)

/** Dependencies of the endpoints of shares. */
interface ShareRouteDeps {
  shares: ShareService
  domains: Domains
}

/** The endpoints of shares, in both APIs. */
export function registerShareRoutes(api: Pick<Api, 'add'>, deps: ShareRouteDeps): void {
  const schemas = createShareSchemas(() => deps.domains)
  endpoint(api, {
    ...READ,
    method: 'get',
    path: PATH,
    operationId: 'listShares',
    summary: 'List shares',
    description: 'The shares of the workspace, the newest first. A share ends with its subject.',
    query: z.object(pageParameters),
    success: pageSuccess('One page of shares.', ShareListSchema, SHARE_EXAMPLE),
    errors: ['BAD_REQUEST'],
    handler: async (call) => pageAnswer(call, await deps.shares.list(call.caller, call.query)),
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: PATH,
    operationId: 'createShare',
    summary: 'Share statistics',
    description:
      'Creates a public page with statistics of a link, a tag, a folder or the workspace: totals ' +
      'only, never single clicks. What the person who shares can’t see isn’t shown either.',
    body: schemas.create,
    bodyExample: { subject: { tag: 'summer' }, show: ['countries', 'referrers'] },
    success: one(201, 'The share.'),
    async handler(call) {
      const caller = writerOf(call)
      const { password, ...fields } = call.body
      const write: Write = (tx, hashed) => deps.shares.create(tx, caller, { ...fields, ...hashed })
      const hashed = await deps.shares.hash(caller, password, write)
      return call.mutate(async (tx) => answerCreated(PATH, await write(tx, hashed)))
    },
  })

  endpoint(api, {
    ...READ,
    ...BY_ID,
    method: 'get',
    operationId: 'getShare',
    summary: 'Get a share',
    success: one(200, 'The share.'),
    errors: ['SHARE_NOT_FOUND'],
    handler: async ({ caller, params }) => answerOk(await deps.shares.get(caller, params.id)),
  })

  registerChanges(api, deps, schemas.patch)
}

function registerChanges(
  api: Pick<Api, 'add'>,
  deps: ShareRouteDeps,
  patch: ReturnType<typeof createShareSchemas>['patch'],
): void {
  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'patch',
    operationId: 'updateShare',
    summary: 'Update a share',
    description:
      'A JSON merge patch (RFC 7396). Address and subject stay as they are. With another ' +
      'password, viewers have to enter it again.',
    body: patch,
    bodyExample: { expires_at: '2026-12-31T23:00:00Z' },
    success: one(200, 'The share as it is now.'),
    errors: ['SHARE_NOT_FOUND', 'PRECONDITION_FAILED'],
    async handler(call) {
      const caller = writerOf(call)
      const { params, ifMatch } = call
      const { password, ...change } = call.body
      const write: Write = (tx, hashed) =>
        deps.shares.update(tx, caller, params.id, { ...change, ...hashed }, ifMatch)
      const hashed = await deps.shares.hash(caller, password, write)
      return call.mutate(async (tx) => answerOk(await write(tx, hashed)))
    },
  })

  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'delete',
    operationId: 'deleteShare',
    summary: 'Stop sharing',
    description: 'The address responds with 404 immediately.',
    success: { status: 204, description: 'The share is deleted.' },
    errors: ['SHARE_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: (call) =>
      call.mutate((tx) => deps.shares.remove(tx, writerOf(call), call.params.id, call.ifMatch)),
  })
}
