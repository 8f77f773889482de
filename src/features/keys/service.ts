import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import type { Random } from '../../lib/base/random.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Sql, Storage, Transaction } from '../../platform/storage/index.ts'
import { type Actor, recordChange } from '../audit/index.ts'
import type { Plans } from '../plans/service.ts'
import {
  type AuthenticateContext,
  authenticate,
  callerOfKey,
  createHash,
  createLastUsed,
  makeKey,
  scopesOf,
  storedScopes,
} from './authenticate.ts'
import { checkNewKey, LATEST_TIME, type NewKey } from './input.ts'
import { type ApiKey, apiKeyOf } from './schemas.ts'
import {
  findKey,
  insertKey,
  type KeyRow,
  listKeys,
  type NewKeyRow,
  revokeKey,
  takeSlot,
  useSlots,
} from './store.ts'

/** How long a rotated key keeps working by default. */
const DEFAULT_OVERLAP_MS = 24 * 3_600_000
/** How long a rotated key may keep working at most. */
export const MAX_OVERLAP_MS = 90 * 24 * 3_600_000
/** A prefix has 8 of 62 characters: collisions are rare, five in a row practically impossible. */
const DRAWS_AT_MOST = 5
const HOUR_MS = 3_600_000

/** The only value that holds the key itself. */
export type CreatedKey = Awaited<ReturnType<typeof insert>>

/** Limits the keys to those of a workspace; without `workspaceNo`, for operators only, all keys. */
interface KeyFilter {
  workspaceNo?: number
}

/** How a key is rotated. */
export interface Rotation extends KeyFilter {
  /** How long the old key keeps working, at most until its own expiry. Default: a day. */
  overlapMs?: number
}
export interface KeyServiceDeps {
  storage: Storage
  clock: Clock
  ids: Ids
  random: Random
  /** The secret that keys are hashed with, stored outside of the database. */
  pepper: Uint8Array
  plans: Pick<Plans, 'of'>
}

interface KeyContext extends AuthenticateContext {
  ids: Ids
  random: Random
}

/** API keys. `ref`: an id, or the 8 public characters. */
export function createKeyService({ pepper, ...deps }: KeyServiceDeps) {
  const lastUsed = createLastUsed(deps.storage)
  const context: KeyContext = { ...deps, hashOf: createHash(pepper), lastUsed }
  const verbs = { create, list, get, revoke, rotate, authenticate, callerOfKey }
  return { ...withContext(context, verbs), flush: lastUsed.flush, close: lastUsed.flush }
}

/** `flush` writes when keys were last used, as does `close`; call it before closing the storage. */
export type KeyService = ReturnType<typeof createKeyService>

/** @throws AppError VALIDATION_FAILED, or PLAN_LIMIT_REACHED with API_KEYS_LIMIT. */
async function create(
  ctx: KeyContext,
  tx: Transaction,
  workspaceNo: number,
  input: NewKey,
  actor: Actor,
): Promise<CreatedKey> {
  const now = ctx.clock.now()
  const { name, scopes, expires_at } = checkNewKey(input, now)
  await tx.lockWorkspace(workspaceNo)
  await takeSlot(tx, ctx.plans, workspaceNo, now)
  const created = await insert(ctx, tx, {
    workspace_no: workspaceNo,
    name,
    scopes: storedScopes(scopes),
    created_by: userIdOf(actor),
    created_at: now,
    expires_at,
    rotated_from: null,
  })
  const { key: _, id, ...after } = created
  await recordChange(tx, actor, {
    workspaceNo,
    at: now,
    action: 'api_key.created',
    target: { type: 'api_key', id, label: name },
    after: { name, ...after },
  })
  return created
}

async function list({ storage, clock }: KeyContext, filter: KeyFilter = {}): Promise<ApiKey[]> {
  const now = clock.now()
  const rows = await listKeys(storage.read, filter.workspaceNo)
  return rows.map((row) => apiKeyOf(row, now))
}

/** One key; in a transaction its state there. @throws AppError KEY_NOT_FOUND */
async function get(
  { storage, clock }: KeyContext,
  ref: string,
  filter: KeyFilter = {},
  tx?: Transaction,
): Promise<ApiKey> {
  return apiKeyOf(await find(tx ?? storage.read, ref, filter), clock.now())
}

/** Revokes a key; idempotent. @throws AppError KEY_NOT_FOUND */
async function revoke(
  { clock }: KeyContext,
  tx: Transaction,
  ref: string,
  filter: KeyFilter,
  actor: Actor,
): Promise<ApiKey> {
  const now = clock.now()
  const key = await findLocked(tx, ref, filter)
  const isRevoked = await endKey(tx, key, actor, now)
  return apiKeyOf(isRevoked ? { ...key, revoked_at: now } : key, now)
}

/**
 * Revokes the keys that a person made in a workspace, in the transaction that ends their access.
 * The workspace is locked already.
 */
export async function revokeKeysOf(
  tx: Transaction,
  workspaceNo: number,
  userId: string,
  actor: Actor,
  now: number,
): Promise<void> {
  for (const key of await listKeys(tx, workspaceNo)) {
    if (key.created_by === userId) await endKey(tx, key, actor, now)
  }
}

/** Revokes a key. False: it was revoked already. */
async function endKey(tx: Transaction, key: KeyRow, actor: Actor, now: number): Promise<boolean> {
  if (!(await revokeKey(tx, key.id, now))) return false
  // The slot of a rotated key belongs to its successor.
  if (key.successor_id === null) await useSlots(tx, key.workspace_no, -1)
  await recordChange(tx, actor, {
    workspaceNo: key.workspace_no,
    at: now,
    action: 'api_key.revoked',
    target: { type: 'api_key', id: key.id, label: key.name },
    before: { revoked_at: null },
    after: { revoked_at: formatTimestamp(now) },
  })
  return true
}

/**
 * Makes a successor with the same name, scopes and lifetime; the old key ends after the overlap.
 * The two take one slot of the plan.
 * @throws AppError KEY_NOT_FOUND, KEY_REVOKED, KEY_EXPIRED, KEY_ALREADY_ROTATED,
 *   ROTATION_IN_PROGRESS, VALIDATION_FAILED for an overlap that is too long
 */
async function rotate(
  ctx: KeyContext,
  tx: Transaction,
  ref: string,
  rotation: Rotation,
  actor: Actor,
): Promise<CreatedKey> {
  const now = ctx.clock.now()
  const overlapMs = rotation.overlapMs ?? DEFAULT_OVERLAP_MS
  if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)) {
    const params = { min: 0, max: MAX_OVERLAP_MS / HOUR_MS }
    throw invalid({ field: 'overlap_hours', code: 'OUT_OF_RANGE', params })
  }
  const key = await findLocked(tx, ref, rotation)
  await assertRotatable(tx, key, now)
  const until = Math.min(key.expires_at ?? Number.POSITIVE_INFINITY, now + overlapMs)
  await tx.db.updateTable('api_keys').set({ expires_at: until }).where('id', '=', key.id).execute()
  const created = await insert(ctx, tx, {
    workspace_no: key.workspace_no,
    name: key.name,
    scopes: key.scopes,
    created_by: userIdOf(actor),
    created_at: now,
    expires_at: sameLifetime(key, now),
    rotated_from: key.id,
  })
  await recordChange(tx, actor, {
    workspaceNo: key.workspace_no,
    at: now,
    action: 'api_key.rotated',
    target: { type: 'api_key', id: key.id, label: key.name },
    before: { expires_at: formatTimestamp(key.expires_at) },
    after: {
      expires_at: formatTimestamp(until),
      successor: created.id,
      successor_prefix: created.prefix,
    },
  })
  return created
}

async function insert(
  { ids, random, hashOf }: KeyContext,
  tx: Transaction,
  facts: Omit<NewKeyRow, 'id' | 'prefix' | 'hash'>,
) {
  for (let draw = 0; draw < DRAWS_AT_MOST; draw++) {
    const { key, prefix } = makeKey(random)
    const row = { ...facts, id: ids.next('key'), prefix, hash: hashOf(key) }
    if (!(await insertKey(tx, row))) continue
    const { id, expires_at } = row
    return {
      id,
      key,
      prefix,
      scopes: scopesOf(row.scopes),
      expires_at: formatTimestamp(expires_at),
    }
  }
  throw new Error('No free key prefix was found')
}

async function find(sql: Sql, ref: string, filter: KeyFilter): Promise<KeyRow> {
  const key = await findKey(sql, ref, filter.workspaceNo)
  if (key !== undefined) return key
  throw new AppError('KEY_NOT_FOUND', { internal: `There is no key ${ref}` })
}

/** A key, locked until the transaction ends. */
async function findLocked(tx: Transaction, ref: string, filter: KeyFilter): Promise<KeyRow> {
  await tx.lockWorkspace(filter.workspaceNo ?? (await find(tx, ref, {})).workspace_no)
  return find(tx, ref, filter)
}

/** Refuses rotations that would give one slot more than two active keys. */
async function assertRotatable(tx: Transaction, key: KeyRow, now: number): Promise<void> {
  const { status } = apiKeyOf(key, now)
  if (status === 'revoked') {
    throw new AppError('KEY_REVOKED', { internal: `Key ${key.prefix} is revoked` })
  }
  if (status === 'expired') {
    throw new AppError('KEY_EXPIRED', { internal: `Key ${key.prefix} has expired` })
  }
  const successor = key.successor_id
  if (successor !== null) {
    const internal = `Key ${key.prefix} was rotated already; its successor is ${successor}`
    throw new AppError('KEY_ALREADY_ROTATED', { internal })
  }
  if (key.rotated_from === null) return
  const predecessor = await find(tx, key.rotated_from, {})
  if (['revoked', 'expired'].includes(apiKeyOf(predecessor, now).status)) return
  const until = formatTimestamp(predecessor.expires_at)
  throw new AppError('ROTATION_IN_PROGRESS', {
    internal: `Key ${predecessor.prefix}, which this one replaced, works until ${until}: revoke it first`,
  })
}

function userIdOf({ type, id }: Actor): string | null {
  return type === 'user' ? id : null
}

/** The expiry of a key created now with the lifetime of another one. */
function sameLifetime(key: KeyRow, now: number): number | null {
  if (key.expires_at === null) return null
  return Math.min(now + (key.expires_at - key.created_at), LATEST_TIME)
}
