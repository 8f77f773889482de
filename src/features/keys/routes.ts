import { z } from '@hono/zod-openapi'
import type { Cursors } from '../../http/cursor.ts'
import { type Api, type Caller, endpoint } from '../../http/index.ts'
import { pageAnswer, pageOf, pageSuccess } from '../../http/page.ts'
import { writerOf } from '../audit/index.ts'
import type { CreatedKey } from './make.ts'
import {
  type ApiKey,
  KEY_EXAMPLE,
  KeyCreateSchema,
  KeyListQuery,
  KeyListSchema,
  KeyPatchSchema,
  KeyRotateSchema,
  KeySchema,
  NewKeySchema,
} from './schemas.ts'
import type { KeyService } from './service.ts'

const PATH = '/api/v1/keys'
const MANAGE = { scope: 'keys:write', tag: 'API keys' } as const
const NEW_EXAMPLE = { ...KEY_EXAMPLE, key: 'slug_B2xK9fQz_4mTq8WcYd0RjVbN2sLhPx7Ge1Z0a3KfU' }

const BY_ID = {
  path: `${PATH}/{id}`,
  params: z.object({
    id: z.string().openapi({ description: 'The id of the key.', example: KEY_EXAMPLE.id }),
  }),
}

/** What a caller may see of keys: of their workspace, and email addresses only as in its log. */
function viewOf({ workspace, scopes }: Caller) {
  return { workspaceNo: workspace.no, byName: !scopes.has('audit:read') }
}

type Deps = {
  keys: Pick<
    KeyService,
    'page' | 'get' | 'create' | 'update' | 'revoke' | 'rotate' | 'restrictionsOf'
  >
  cursors: Cursors
}

/** The answer with a new key, which is never shown again. */
async function created(
  deps: Pick<Deps, 'keys'>,
  tx: Parameters<KeyService['get']>[2],
  caller: Caller,
  { id, key }: CreatedKey,
) {
  const body = { ...withoutWorkspace(await deps.keys.get(id, viewOf(caller), tx)), key }
  const headers = { Location: `${PATH}/${id}`, 'Cache-Control': 'no-store' }
  return { status: 201 as const, body, headers }
}

const made = (description: string) =>
  ({
    status: 201,
    description,
    schema: NewKeySchema,
    headers: { Location: 'The path of the key.' },
    example: NEW_EXAMPLE,
  }) as const

/** The endpoints of API keys. */
export function registerKeyRoutes(api: Pick<Api, 'add'>, deps: Deps): void {
  endpoint(api, {
    ...MANAGE,
    method: 'get',
    path: PATH,
    operationId: 'listKeys',
    summary: 'List API keys',
    query: KeyListQuery,
    success: pageSuccess('One page of keys, the newest first.', KeyListSchema, KEY_EXAMPLE),
    errors: ['BAD_REQUEST'],
    async handler(call) {
      const { cursor, limit, include_revoked } = call.query
      const { workspaceNo, byName } = viewOf(call.caller)
      const revoked = include_revoked === 'true'
      const binding = JSON.stringify(['keys', workspaceNo, revoked])
      const { decode, encode } = deps.cursors
      const below = cursor === undefined ? null : (decode(cursor, binding)[0] as string)
      const position = { below, revoked, limit: limit + 1, byName }
      const keys = await deps.keys.page(workspaceNo, position)
      return pageAnswer(
        call,
        pageOf(keys.map(withoutWorkspace), limit, ({ id }) => encode([id], binding)),
      )
    },
  })

  endpoint(api, {
    ...MANAGE,
    method: 'post',
    path: PATH,
    fresh: true,
    secret: true,
    operationId: 'createKey',
    summary: 'Create an API key',
    description:
      'A key can grant another one only scopes that it has itself, and its own restrictions or ' +
      'narrower ones. Only this response contains the key itself, and it is never stored: an ' +
      '`Idempotency-Key` is ignored.',
    body: KeyCreateSchema,
    bodyExample: { name: KEY_EXAMPLE.name, scopes: KEY_EXAMPLE.scopes },
    success: made('The new key. The key itself is only in this response.'),
    errors: ['PLAN_LIMIT_REACHED', 'SCOPE_NOT_GRANTABLE', 'RESTRICTION_NOT_GRANTABLE'],
    async handler(call) {
      const { name, scopes, restrictions, expires_at: expiresAt = null } = call.body
      const { workspace, actor } = writerOf(call)
      const input = { name, scopes, expiresAt, restrictions }
      return call.mutate(async (tx) =>
        created(deps, tx, call.caller, await deps.keys.create(tx, workspace.no, input, actor)),
      )
    },
  })

  registerKeyRoutesById(api, deps)
  registerRotation(api, deps)
}

function registerKeyRoutesById(api: Pick<Api, 'add'>, deps: Deps): void {
  const one = {
    status: 200,
    description: 'The key.',
    schema: KeySchema,
    example: KEY_EXAMPLE,
  } as const

  endpoint(api, {
    ...MANAGE,
    ...BY_ID,
    method: 'get',
    operationId: 'getKey',
    summary: 'Get an API key',
    success: one,
    errors: ['KEY_NOT_FOUND'],
    async handler({ caller, params }) {
      const filter = { ...viewOf(caller), unrevoked: true } as const
      return { status: 200, body: withoutWorkspace(await deps.keys.get(params.id, filter)) }
    },
  })

  endpoint(api, {
    ...MANAGE,
    ...BY_ID,
    method: 'patch',
    operationId: 'updateKey',
    summary: 'Update an API key',
    description: 'A JSON merge patch (RFC 7396).',
    body: KeyPatchSchema,
    bodyExample: { name: 'Old website' },
    success: one,
    errors: ['KEY_NOT_FOUND', 'SCOPE_NOT_GRANTABLE', 'RESTRICTION_NOT_GRANTABLE'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { actor } = writerOf(call)
        const filter = { ...viewOf(call.caller), unrevoked: true } as const
        const key = await deps.keys.update(tx, call.params.id, call.body, filter, actor)
        return { status: 200, body: withoutWorkspace(key) }
      }),
  })

  endpoint(api, {
    ...MANAGE,
    ...BY_ID,
    method: 'delete',
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'A key may revoke itself.',
    success: { status: 204, description: 'The key no longer works.' },
    errors: ['KEY_NOT_FOUND'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { workspace, actor } = writerOf(call)
        const filter = { workspaceNo: workspace.no, unrevoked: true } as const
        await deps.keys.revoke(tx, call.params.id, filter, actor)
      }),
  })
}

function registerRotation(api: Pick<Api, 'add'>, deps: Deps): void {
  endpoint(api, {
    ...MANAGE,
    method: 'post',
    path: `${PATH}/{id}/rotate`,
    fresh: true,
    secret: true,
    operationId: 'rotateKey',
    summary: 'Rotate an API key',
    description:
      'Creates a successor with the same scopes and restrictions; the old key stays valid for the ' +
      'overlap. An `Idempotency-Key` is ignored.',
    params: BY_ID.params,
    body: KeyRotateSchema,
    bodyOptional: true,
    bodyExample: { overlap_seconds: 3600 },
    success: made('The successor, with its key.'),
    errors: [
      'KEY_NOT_FOUND',
      'KEY_REVOKED',
      'KEY_EXPIRED',
      'KEY_ALREADY_ROTATED',
      'ROTATION_IN_PROGRESS',
      'SCOPE_NOT_GRANTABLE',
      'RESTRICTION_NOT_GRANTABLE',
    ],
    async handler(call) {
      const { workspace, actor } = writerOf(call)
      const overlapMs = call.body.overlap_seconds * 1000
      const rotation = { workspaceNo: workspace.no, overlapMs }
      return call.mutate(async (tx) =>
        created(deps, tx, call.caller, await deps.keys.rotate(tx, call.params.id, rotation, actor)),
      )
    },
  })
}

function withoutWorkspace({ workspace: _, ...key }: ApiKey): Omit<ApiKey, 'workspace'> {
  return key
}
