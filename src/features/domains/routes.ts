import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageParameters, pageSuccess } from '../../http/page.ts'
import { answerCreated, answerOk, describeOne } from '../../http/respond.ts'
import type { UrlCheck } from '../../model/links/values.ts'
import { writerOf } from '../audit/index.ts'
import { createDomainSchemas, DOMAIN_EXAMPLE, DomainListSchema, DomainSchema } from './schemas.ts'
import type { DomainService } from './service.ts'

const PATH = '/api/v1/domains'
const READ = { scope: 'domains:read', tag: 'Domains' } as const
const WRITE = { scope: 'domains:write', dryRun: true, tag: 'Domains' } as const
/** Room for both files of app links at their largest, and the other fields. */
const BODY_BYTES_MAX = 192 * 1024

const BY_ID = {
  path: `${PATH}/{id}`,
  params: z.object({
    id: z.string().openapi({ description: 'The id of the domain.', example: DOMAIN_EXAMPLE.id }),
  }),
}

const oneDomain = describeOne('domain', DomainSchema, DOMAIN_EXAMPLE)

/** Dependencies of the domain endpoints. */
interface DomainRouteDeps {
  ownDomains: DomainService
  links: { rules: { checkUrl: UrlCheck } }
}

/** The domains of a workspace: list, create, get, update, delete, verify. */
export function registerDomainRoutes(api: Pick<Api, 'add'>, deps: DomainRouteDeps): void {
  const { ownDomains } = deps

  endpoint(api, {
    ...READ,
    method: 'get',
    path: PATH,
    operationId: 'listDomains',
    summary: 'List domains',
    description:
      'The domains of the workspace. Those that all workspaces of the instance share are not among ' +
      'them.',
    query: z.object(pageParameters),
    success: pageSuccess(
      'One page of domains, the newest first.',
      DomainListSchema,
      DOMAIN_EXAMPLE,
    ),
    errors: ['BAD_REQUEST'],
    handler: async (call) => pageAnswer(call, await ownDomains.list(call.caller, call.query)),
  })

  endpoint(api, {
    ...READ,
    ...BY_ID,
    method: 'get',
    operationId: 'getDomain',
    summary: 'Get a domain',
    success: oneDomain(200, 'The domain.'),
    errors: ['DOMAIN_NOT_FOUND'],
    handler: async ({ caller, params }) => answerOk(await ownDomains.get(caller, params.id)),
  })

  registerWriting(api, deps)

  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'delete',
    wholeWorkspace: true,
    operationId: 'deleteDomain',
    summary: 'Delete a domain',
    description:
      'Releases the host. First delete or move all links with an address on it. Slugs of deleted ' +
      'links don’t count.',
    success: { status: 204, description: 'The domain is deleted.' },
    errors: ['DOMAIN_NOT_FOUND', 'DOMAIN_IN_USE', 'PRECONDITION_FAILED'],
    handler: (call) =>
      ownDomains.refreshed(
        call.mutate((tx) => ownDomains.remove(tx, writerOf(call), call.params.id, call.ifMatch)),
      ),
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: `${PATH}/{id}/verify`,
    wholeWorkspace: true,
    operationId: 'verifyDomain',
    summary: 'Verify a domain',
    description:
      'Looks up the TXT record now. If it is correct, the domain is `active`; else ' +
      '`verification` shows what was found instead.',
    params: BY_ID.params,
    success: oneDomain(200, 'The domain as it is now, verified or not.'),
    errors: ['DOMAIN_NOT_FOUND', 'DOMAIN_TAKEN'],
    async handler(call) {
      const { caller, params } = call
      const [answer, links] = await Promise.all([
        ownDomains.lookUp(caller.workspace.no, params.id),
        ownDomains.linksOn(caller, params.id),
      ])
      const found = { answer, links }
      return ownDomains.refreshed(
        call.mutate(async (tx) =>
          answerOk(await ownDomains.verify(tx, writerOf(call), params.id, found)),
        ),
      )
    },
  })
}

/** The endpoints that create and change a domain. */
function registerWriting(api: Pick<Api, 'add'>, { ownDomains, links }: DomainRouteDeps): void {
  const { create, patch } = createDomainSchemas((text) => links.rules.checkUrl(text))

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: PATH,
    wholeWorkspace: true,
    operationId: 'createDomain',
    summary: 'Add a domain',
    description:
      'Claims a host. It is `pending` until the TXT record in `verification` is found: create the ' +
      'record, then verify. Several workspaces may claim a host; the first that proves it gets it.',
    body: create,
    bodyExample: { host: DOMAIN_EXAMPLE.host, root_url: DOMAIN_EXAMPLE.root_url },
    bodyBytesMax: BODY_BYTES_MAX,
    success: oneDomain(201, 'The domain.'),
    errors: ['DOMAIN_TAKEN', 'PLAN_LIMIT_REACHED'],
    handler: (call) =>
      ownDomains.refreshed(
        call.mutate(async (tx) =>
          answerCreated(PATH, await ownDomains.create(tx, writerOf(call), call.body)),
        ),
      ),
  })

  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'patch',
    wholeWorkspace: true,
    operationId: 'updateDomain',
    summary: 'Update a domain',
    description:
      'A JSON merge patch (RFC 7396): what is absent stays, null clears. The host can’t be changed.',
    body: patch,
    bodyExample: { not_found_url: 'https://acme.example/help', robots: null },
    bodyBytesMax: BODY_BYTES_MAX,
    success: oneDomain(200, 'The domain as it is now.'),
    errors: ['DOMAIN_NOT_FOUND', 'PRECONDITION_FAILED'],
    async handler(call) {
      const { body, caller, params, ifMatch } = call
      const links = await ownDomains.linksOn(caller, params.id)
      return ownDomains.refreshed(
        call.mutate(async (tx) => {
          const change = { patch: body, ifMatch, links }
          return answerOk(await ownDomains.update(tx, writerOf(call), params.id, change))
        }),
      )
    },
  })
}
