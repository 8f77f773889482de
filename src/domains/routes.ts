import { z } from '@hono/zod-openapi'
import { askerOf } from '../audit/index.ts'
import { type Api, endpoint } from '../http/index.ts'
import { pageAnswer, pageParameters, pageSuccess } from '../http/page.ts'
import { answerMade, answerOne, describeOne } from '../http/respond.ts'
import type { UrlCheck } from '../links/values.ts'
import { createDomainSchemas, DOMAIN_EXAMPLE, DomainListSchema, DomainSchema } from './schemas.ts'
import type { DomainService } from './service.ts'

const PATH = '/api/v1/domains'
const TAG = 'Domains'
/** Room for both files of app links at their largest, and the other fields. */
const BODY_BYTES_MAX = 192 * 1024

const DomainParams = z.object({
  id: z.string().openapi({ description: 'The id of the domain.', example: DOMAIN_EXAMPLE.id }),
})

const ListQuery = z.object({
  ...pageParameters,
})

const oneDomain = describeOne('domain', DomainSchema, DOMAIN_EXAMPLE)

/** Dependencies of the domain endpoints. */
interface DomainRouteDeps {
  ownDomains: DomainService
  links: { rules: { checkUrl: UrlCheck } }
}

/** The domains of a workspace: list, create, get, update, delete, verify. */
export function registerDomainRoutes(api: Pick<Api, 'add'>, deps: DomainRouteDeps): void {
  registerReading(api, deps)
  registerWriting(api, deps)
  registerEnding(api, deps)
  registerVerifying(api, deps)
}

function registerReading(api: Pick<Api, 'add'>, { ownDomains }: DomainRouteDeps): void {
  endpoint(api, {
    method: 'get',
    path: PATH,
    scope: 'domains:read',
    operationId: 'listDomains',
    tag: TAG,
    summary: 'List domains',
    description:
      'The domains of the workspace. Those that all workspaces of the instance share are not among ' +
      'them.',
    query: ListQuery,
    success: pageSuccess(
      'One page of domains, the newest first.',
      DomainListSchema,
      DOMAIN_EXAMPLE,
    ),
    errors: ['BAD_REQUEST'],
    handler: async (call) =>
      pageAnswer(call, await ownDomains.list(call.caller.workspace.no, call.query)),
  })

  endpoint(api, {
    method: 'get',
    path: `${PATH}/{id}`,
    scope: 'domains:read',
    operationId: 'getDomain',
    tag: TAG,
    summary: 'Get a domain',
    params: DomainParams,
    success: oneDomain(200, 'The domain.'),
    errors: ['DOMAIN_NOT_FOUND'],
    handler: async ({ caller, params }) =>
      answerOne(await ownDomains.get(caller.workspace.no, params.id)),
  })
}

function registerWriting(api: Pick<Api, 'add'>, { ownDomains, links }: DomainRouteDeps): void {
  const { create, patch } = createDomainSchemas((text) => links.rules.checkUrl(text))

  endpoint(api, {
    method: 'post',
    path: PATH,
    scope: 'domains:write',
    dryRun: true,
    operationId: 'createDomain',
    tag: TAG,
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
        call.mutate(async (tx) => {
          const domain = await ownDomains.create(tx, askerOf(call), call.body)
          return answerMade(PATH, domain)
        }),
      ),
  })

  endpoint(api, {
    method: 'patch',
    path: `${PATH}/{id}`,
    scope: 'domains:write',
    dryRun: true,
    operationId: 'updateDomain',
    tag: TAG,
    summary: 'Update a domain',
    description:
      'A JSON merge patch (RFC 7396): what is absent stays, null clears. The host can’t be changed.',
    params: DomainParams,
    body: patch,
    bodyExample: { not_found_url: 'https://acme.example/help', robots: null },
    bodyBytesMax: BODY_BYTES_MAX,
    success: oneDomain(200, 'The domain as it is now.'),
    errors: ['DOMAIN_NOT_FOUND', 'PRECONDITION_FAILED'],
    async handler(call) {
      const { body, caller, params, ifMatch } = call
      const links = await ownDomains.linksOn(caller.workspace.no, params.id)
      return ownDomains.refreshed(
        call.mutate(async (tx) => {
          const change = { patch: body, ifMatch, links }
          const domain = await ownDomains.update(tx, askerOf(call), params.id, change)
          return answerOne(domain)
        }),
      )
    },
  })
}

function registerEnding(api: Pick<Api, 'add'>, { ownDomains }: DomainRouteDeps): void {
  endpoint(api, {
    method: 'delete',
    path: `${PATH}/{id}`,
    scope: 'domains:write',
    dryRun: true,
    operationId: 'deleteDomain',
    tag: TAG,
    summary: 'Delete a domain',
    description:
      'Releases the host. First delete or move all links with an address on it. Slugs of deleted ' +
      'links don’t count.',
    params: DomainParams,
    success: { status: 204, description: 'The domain is deleted.' },
    errors: ['DOMAIN_NOT_FOUND', 'DOMAIN_IN_USE', 'PRECONDITION_FAILED'],
    handler: (call) =>
      ownDomains.refreshed(
        call.mutate((tx) => ownDomains.remove(tx, askerOf(call), call.params.id, call.ifMatch)),
      ),
  })
}

function registerVerifying(api: Pick<Api, 'add'>, { ownDomains }: DomainRouteDeps): void {
  endpoint(api, {
    method: 'post',
    path: `${PATH}/{id}/verify`,
    scope: 'domains:write',
    dryRun: true,
    operationId: 'verifyDomain',
    tag: TAG,
    summary: 'Verify a domain',
    description:
      'Looks up the TXT record now. If it is correct, the domain is `active`; else ' +
      '`verification` shows what was found instead.',
    params: DomainParams,
    success: oneDomain(200, 'The domain as it is now, verified or not.'),
    errors: ['DOMAIN_NOT_FOUND', 'DOMAIN_TAKEN'],
    async handler(call) {
      const { caller, params } = call
      const [found, links] = await Promise.all([
        ownDomains.lookUp(caller.workspace.no, params.id),
        ownDomains.linksOn(caller.workspace.no, params.id),
      ])
      return ownDomains.refreshed(
        call.mutate(async (tx) => {
          const domain = await ownDomains.verify(tx, askerOf(call), params.id, {
            answer: found,
            links,
          })
          return answerOne(domain)
        }),
      )
    },
  })
}
