import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { pageOf } from '../../http/page.ts'
import { principalOf } from '../audit/index.ts'
import {
  type ApiKey,
  KeyCreateSchema,
  KeyListSchema,
  KeyRotateSchema,
  NewKeySchema,
} from './schemas.ts'
import { type CreatedKey, type KeyService, MAX_OVERLAP_MS } from './service.ts'

const PATH = '/api/v1/keys'
const MANAGE = { scope: 'keys:write', tag: 'API keys' } as const
const HOUR_MS = 3_600_000
const NO_STORE = { 'Cache-Control': 'no-store' }

const BY_ID = {
  path: `${PATH}/{id}`,
  params: z.object({ id: z.string() }),
}

/** The dashboard's endpoints of API keys. */
export function registerKeyRoutes(
  api: Pick<Api, 'add'>,
  deps: { keys: Pick<KeyService, 'list' | 'get' | 'create' | 'revoke' | 'rotate'> },
): void {
  async function created(tx: Parameters<KeyService['get']>[2], { id, key }: CreatedKey) {
    const body = { ...shown(await deps.keys.get(id, {}, tx)), key }
    return { status: 201 as const, body, headers: NO_STORE }
  }

  endpoint(api, {
    ...MANAGE,
    method: 'get',
    path: PATH,
    operationId: 'listKeys',
    summary: 'List API keys',
    success: { status: 200, description: 'All of them, the newest first.', schema: KeyListSchema },
    async handler({ caller }) {
      const keys = await deps.keys.list({ workspaceNo: caller.workspace.no })
      return { status: 200, body: pageOf(keys.reverse().map(shown), keys.length, String) }
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
    body: KeyCreateSchema,
    success: { status: 201, description: 'With the key, this once.', schema: NewKeySchema },
    errors: ['PLAN_LIMIT_REACHED'],
    async handler(call) {
      const { name, scopes, expires_at: expiresAt = null } = call.body
      const { workspace, actor } = principalOf(call)
      const input = { name, scopes, expiresAt }
      return call.mutate(async (tx) => {
        return created(tx, await deps.keys.create(tx, workspace.no, input, actor))
      })
    },
  })

  endpoint(api, {
    ...MANAGE,
    ...BY_ID,
    method: 'delete',
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    success: { status: 204, description: 'It is refused from now on.' },
    errors: ['KEY_NOT_FOUND'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { workspace, actor } = principalOf(call)
        await deps.keys.revoke(tx, call.params.id, { workspaceNo: workspace.no }, actor)
      }),
  })

  endpoint(api, {
    ...MANAGE,
    method: 'post',
    path: `${PATH}/{id}/rotate`,
    fresh: true,
    secret: true,
    operationId: 'rotateKey',
    summary: 'Rotate an API key',
    description: 'Makes a successor like it; the old key goes on working for the overlap.',
    params: BY_ID.params,
    body: KeyRotateSchema,
    bodyOptional: true,
    success: { status: 201, description: 'The successor, with its key.', schema: NewKeySchema },
    errors: [
      'KEY_NOT_FOUND',
      'KEY_REVOKED',
      'KEY_EXPIRED',
      'KEY_ALREADY_ROTATED',
      'ROTATION_IN_PROGRESS',
    ],
    async handler(call) {
      const { workspace, actor } = principalOf(call)
      const { overlap_hours: hours = 24 } = call.body
      const rotation = {
        workspaceNo: workspace.no,
        overlapMs: Math.min(Math.round(hours * HOUR_MS), MAX_OVERLAP_MS),
      }
      return call.mutate(async (tx) => {
        return created(tx, await deps.keys.rotate(tx, call.params.id, rotation, actor))
      })
    },
  })
}

function shown({ workspace: _, ...key }: ApiKey): Omit<ApiKey, 'workspace'> {
  return key
}
