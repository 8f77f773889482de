import { z } from '@hono/zod-openapi'
import type { KeyCaller } from '../../http/callers.ts'
import { type Api, endpoint } from '../../http/index.ts'
import { RestrictionsSchema, type ShownRestrictions } from '../../model/keys/restrictions.ts'
import { UNLIMITED } from '../../model/plans/types.ts'
import { PlanLimitsSchema } from '../plans/schemas.ts'

const PATH = '/api/v1'
const TAG = 'About'

const address = (description: string) => z.string().openapi({ format: 'uri', description })

const IndexSchema = z
  .object({
    documentation: address('The reference.'),
    openapi: address('The OpenAPI document.'),
    errors: address('Every error code, explained.'),
    resources: z
      .record(z.string(), z.string())
      .openapi({ description: 'The addresses of the collections, by name.' }),
  })
  .openapi('ApiIndex')

const MeSchema = z
  .object({
    key: z.object({
      id: z.string(),
      name: z.string().nullable().openapi({ description: 'Null: it has none.' }),
    }),
    workspace: z.object({
      id: z.string(),
      language: z
        .string()
        .nullable()
        .openapi({ description: 'The language of messages by default. Null: English.' }),
    }),
    scopes: z.array(z.string()).openapi({ description: 'What the key may do, sorted.' }),
    restrictions: z.union([RestrictionsSchema, z.null()]).openapi({
      description: 'Null: the key reaches the whole workspace.',
    }),
    plan: z.object({ id: z.string(), limits: PlanLimitsSchema }),
  })
  .openapi('Me')

/**
 * The endpoints about the API itself. `endpoints` returns all of them, for the index; `restrictionsOf`
 * what a key is restricted to.
 */
export function registerRootRoutes(
  api: Pick<Api, 'add'>,
  endpoints: () => Api['endpoints'],
  restrictionsOf: (key: KeyCaller) => Promise<ShownRestrictions | null>,
): void {
  const collections = () =>
    endpoints()
      .filter(({ method, path }) => method === 'get' && /^\/api\/v1\/[a-z]+$/.test(path))
      .map(({ path }) => path.slice(PATH.length + 1))

  endpoint(api, {
    method: 'get',
    path: PATH,
    scope: null,
    operationId: 'getIndex',
    tag: TAG,
    summary: 'Find documents and resources',
    description: 'Needs no API key.',
    success: {
      status: 200,
      description: 'The URLs of the documents and resources.',
      schema: IndexSchema,
      example: {
        documentation: 'https://go.example.com/docs',
        openapi: 'https://go.example.com/openapi.json',
        errors: 'https://go.example.com/docs/errors',
        resources: { links: 'https://go.example.com/api/v1/links' },
      },
    },
    cacheControl: 'private, no-cache',
    handler: ({ baseUrl }) => ({
      status: 200,
      body: {
        documentation: `${baseUrl}/docs`,
        openapi: `${baseUrl}/openapi.json`,
        errors: `${baseUrl}/docs/errors`,
        resources: Object.fromEntries(
          collections().map((name) => [name, `${baseUrl}${PATH}/${name}`]),
        ),
      },
    }),
  })

  endpoint(api, {
    method: 'get',
    path: `${PATH}/me`,
    scope: 'any',
    operationId: 'getMe',
    tag: TAG,
    summary: 'Get the API key in use',
    description: 'The permissions and limits of the key that sends this request. Any key works.',
    success: {
      status: 200,
      description: 'The key, its workspace and its plan.',
      schema: MeSchema,
      example: {
        key: { id: 'key_01hzy3v9k2q4r6s8t0v2w4x6y8', name: 'Website' },
        workspace: { id: 'wsp_01hzy3v9k2q4r6s8t0v2w4x6y8', language: null },
        scopes: ['links:read', 'links:write'],
        restrictions: null,
        plan: { id: 'unlimited', limits: UNLIMITED },
      },
    },
    async handler({ caller }) {
      const { workspace, scopes } = caller
      const key =
        caller.kind === 'api_key'
          ? { id: caller.keyId, name: caller.keyName ?? null }
          : { id: caller.sessionId, name: null }
      const body = {
        key,
        workspace: { id: workspace.id, language: workspace.language },
        scopes: [...scopes].sort(),
        restrictions: caller.kind === 'api_key' ? await restrictionsOf(caller) : null,
        plan: { id: workspace.plan.id, limits: workspace.plan.limits },
      }
      return { status: 200, body }
    },
  })
}
