import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { DOMAIN_EXAMPLE } from './schemas.ts'
import type { DomainSetupService } from './setup.ts'
import { DomainSetupSchema, SETUP_EXAMPLE } from './setup-schemas.ts'

/** Dependencies of the endpoint. */
interface SetupRouteDeps {
  domainSetup: DomainSetupService
}

/** What a domain still needs. */
export function registerDomainSetupRoute(api: Pick<Api, 'add'>, deps: SetupRouteDeps): void {
  endpoint(api, {
    method: 'get',
    path: '/api/v1/domains/{id}/setup',
    scope: 'domains:read',
    tag: 'Domains',
    operationId: 'getDomainSetup',
    summary: 'Check the setup of a domain',
    description:
      'Checks each step from outside: the verification, where the host leads, its certificate, and ' +
      'whether this instance answers there. Only the host of a verified domain is asked, at most ' +
      'every ten seconds; in between the last result is returned. An address in a private network ' +
      'is `UNREACHABLE`, unless the operator allows it.',
    params: z.object({
      id: z.string().openapi({ description: 'The id of the domain.', example: DOMAIN_EXAMPLE.id }),
    }),
    success: {
      status: 200,
      description: 'The steps.',
      schema: DomainSetupSchema,
      example: SETUP_EXAMPLE,
    },
    errors: ['DOMAIN_NOT_FOUND', 'RATE_LIMITED'],
    async handler({ caller, params }) {
      const person = caller.kind === 'session' ? { id: caller.userId } : caller.person
      return { status: 200, body: await deps.domainSetup.check({ ...caller, person }, params.id) }
    },
  })
}
