import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from '@hono/zod-openapi'
import { createIds } from '../../lib/base/ids.ts'
import type { Logger } from '../../lib/base/logger.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Scope } from '../../model/keys/scopes.ts'
import { type PlanLimits, UNLIMITED } from '../../model/plans/types.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { openTestStorage } from '../../platform/storage/testing/database.ts'
import { type Api, createApi, endpoint } from '../api.ts'
import type { Caller } from '../callers.ts'
import '../../lib/i18n/testing/pseudo.ts'

/** An API of a few small endpoints on a real database, for tests of the pipeline. */
export interface TestApi {
  api: Api
  storage: Storage
  /** The directory of the database. */
  directory: string
  /** A fixed clock, which tests advance. */
  clock: { ms: number; now(): number }
  logged: { level: string; fields: Record<string, unknown> }[]
  /** What each key may do and see, which tests change. */
  keys: Record<string, TestKey>
  /** Sends a request with the writer's key by default. */
  send(method: string, path: string, init?: SendInit): Promise<Response>
  close(): Promise<void>
}

/** A request's headers (null omits one) and body; an object is sent as JSON. */
export interface SendInit {
  headers?: Record<string, string | null>
  body?: object | string | Uint8Array | ReadableStream<Uint8Array>
  peer?: string
}

/** Settings of a {@link TestApi}. */
export interface TestApiOptions {
  limits?: Partial<PlanLimits>
  language?: string
  baseUrl?: string
  anonymousPerMinute?: number
  /** Replaces the storage of the endpoints. */
  storage?: Storage
}

/** A key of the test API: its scopes, its workspace, and the folders it can't see. */
interface TestKey {
  scopes: Scope[]
  workspaceNo: number
  hiddenFolders?: string[]
}

const KEYS: Record<string, TestKey> = {
  writer: { scopes: ['links:read', 'links:write'], workspaceNo: 1 },
  reader: { scopes: ['links:read'], workspaceNo: 1 },
  guest: { scopes: ['links:read'], workspaceNo: 1, hiddenFolders: ['fld_secret'] },
  stranger: { scopes: ['links:read', 'links:write'], workspaceNo: 2 },
}

/** Creates one in a temporary directory. */
export async function createTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const dir = await mkdtemp(join(tmpdir(), 'slugline-http-'))
  const storage = options.storage ?? (await openTestStorage(dir))
  const clock = { ms: 1_790_000_000_000, now: () => clock.ms }
  const logged: TestApi['logged'] = []
  const log = (level: string) => (fields: object) =>
    void logged.push({ level, fields: fields as Record<string, unknown> })
  const logger: Logger = {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
  }
  const limits = { ...UNLIMITED, ...options.limits }
  const keys = structuredClone(KEYS)
  const api = createApi({
    storage,
    clock,
    logger,
    ids: createIds(clock, systemRandom),
    authenticate: async (credential) =>
      callerOf(credential, keys[credential], limits, options.language ?? null),
    clientAddress: (peer) => peer,
    anonymousPerMinute: options.anonymousPerMinute ?? 600,
    baseUrl: options.baseUrl ?? 'http://localhost:3000',
    pseudoLocales: true,
  })
  addEndpoints(api)
  return {
    api,
    storage,
    directory: dir,
    clock,
    logged,
    keys,
    send: (method, path, init) => send(api, method, path, init),
    async close() {
      await storage.close()
      await rm(dir, { recursive: true })
    },
  }
}

function callerOf(
  credential: string,
  key: TestKey | undefined,
  limits: PlanLimits,
  language: string | null,
): Caller | null {
  if (key === undefined) return null
  const price = { amount: 0, currency: 'EUR', interval: 'month' } as const
  const plan = { id: 'test', price, limits, features: [], default: true }
  return {
    kind: 'api_key',
    keyId: `key_${credential}`,
    scopes: new Set(key.scopes),
    ...(key.hiddenFolders && { hiddenFolders: key.hiddenFolders }),
    workspace: { no: key.workspaceNo, id: `wsp_${key.workspaceNo}`, language, plan },
  }
}

async function send(api: Api, method: string, path: string, init: SendInit = {}) {
  const headers = new Headers({ Authorization: 'Bearer writer' })
  const { body } = init
  const isObject = typeof body === 'object' && Object.getPrototypeOf(body) === Object.prototype
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  for (const [name, value] of Object.entries(init.headers ?? {})) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  const request = new Request(`http://localhost:3000${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: isObject ? JSON.stringify(body) : (body as string) }),
  })
  return api.fetch(request, { peer: init.peer ?? '192.0.2.1' })
}

const pageLength = z.coerce.number().int().min(1).max(100).optional()

const hostSchema = z.object({ host: z.string(), version: z.int() }).openapi('Host')

/** Hosts of the table `domains` serve as objects, because the pipeline doesn't depend on links. */
function addEndpoints(api: Api): void {
  const common = { tag: 'Hosts', summary: 'A host', description: 'With `code`.' }
  endpoint(api, {
    ...common,
    method: 'get',
    path: '/api/v1/hosts/{id}',
    scope: 'links:read',
    operationId: 'getHost',
    params: z.object({ id: z.string() }),
    query: z.object({ limit: pageLength, per_page: pageLength }),
    success: {
      status: 200,
      description: 'The host.',
      schema: hostSchema,
      example: { host: 'a.example', version: 3 },
    },
    errors: ['LINK_NOT_FOUND'],
    handler({ params, caller }) {
      if (params.id === 'broken') throw new Error('SELECT secret FROM nowhere')
      if (params.id === 'missing') throw new AppError('LINK_NOT_FOUND')
      return { status: 200, body: { host: params.id, workspace: caller.workspace.no }, version: 3 }
    },
  })
  endpoint(api, {
    ...common,
    method: 'post',
    path: '/api/v1/hosts',
    scope: 'links:write',
    dryRun: true,
    operationId: 'createHost',
    body: z.strictObject({ no: z.int().min(1), host: z.string().max(50) }),
    bodyExample: { no: 1, host: 'a.example' },
    success: { status: 201, description: 'Made.', schema: hostSchema },
    errors: ['SLUG_TAKEN', 'PLAN_LIMIT_REACHED'],
    handler: ({ body, mutate }) =>
      mutate(async (tx) => {
        if (body.host === 'full.example') throw new AppError('PLAN_LIMIT_REACHED')
        const rows = await tx.db
          .insertInto('domains')
          .values(body)
          .onConflict((conflict) => conflict.doNothing())
          .returning('no')
          .execute()
        if (rows.length === 0) throw new AppError('SLUG_TAKEN', { suggestions: ['b', 'c', 'd'] })
        const headers = { Location: `/api/v1/hosts/${body.no}` }
        return { status: 201, body, version: 1, headers }
      }),
  })
  endpoint(api, {
    ...common,
    method: 'patch',
    path: '/api/v1/hosts/{id}',
    scope: 'links:write',
    operationId: 'updateHost',
    params: z.object({ id: z.string() }),
    body: z.strictObject({ host: z.string().optional() }),
    success: { status: 200, description: 'Changed.', schema: hostSchema },
    errors: ['PRECONDITION_FAILED'],
    handler: ({ ifMatch, mutate, body }) =>
      mutate(async () => {
        if (!ifMatch(3)) throw new AppError('PRECONDITION_FAILED')
        return { status: 200, body: { ...body }, version: 4 }
      }),
  })
  endpoint(api, {
    ...common,
    method: 'delete',
    path: '/api/v1/hosts/{id}',
    scope: 'links:write',
    operationId: 'deleteHost',
    params: z.object({ id: z.string() }),
    success: { status: 204, description: 'Gone.' },
    handler: ({ mutate, params }) =>
      mutate(async (tx) => {
        const { numDeletedRows } = await tx.db
          .deleteFrom('domains')
          .where('host', '=', params.id)
          .executeTakeFirst()
        if (numDeletedRows === 0n) throw new AppError('LINK_NOT_FOUND')
        return { status: 204 }
      }),
  })
  endpoint(api, {
    ...common,
    method: 'get',
    path: '/api/v1/words',
    scope: null,
    operationId: 'listWords',
    cacheControl: 'public, max-age=300',
    success: { status: 200, description: 'Words.', schema: z.object({ locale: z.string() }) },
    handler: ({ locale }) => ({ status: 200, body: { locale } }),
  })
}
