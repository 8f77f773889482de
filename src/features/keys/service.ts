import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import type { Random } from '../../lib/base/random.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import { type Actor, recordChange } from '../audit/index.ts'
import type { Plans } from '../plans/service.ts'
import {
  authenticate,
  callerOfKey,
  createHash,
  createLastUsed,
  storedScopes,
} from './authenticate.ts'
import { checkNewKey, type NewKey } from './input.ts'
import {
  assertGrantable,
  type CreatedKey,
  eventObjectOf,
  find,
  findLocked,
  insert,
  type KeyContext,
  type KeyFilter,
} from './make.ts'
import { rotate } from './rotate.ts'
import { type ApiKey, apiKeyOf } from './schemas.ts'
import {
  type KeyRow,
  listKeys,
  pageOfKeys,
  renameKey,
  revokeKey,
  takeSlot,
  useSlots,
} from './store.ts'

export interface KeyServiceDeps {
  storage: Storage
  clock: Clock
  ids: Ids
  random: Random
  /** The secret that keys are hashed with, stored outside of the database. */
  pepper: Uint8Array
  plans: Pick<Plans, 'of'>
}

/** API keys. `ref`: an id, or the 8 public characters. */
export function createKeyService({ pepper, ...deps }: KeyServiceDeps) {
  const lastUsed = createLastUsed(deps.storage)
  const context: KeyContext = { ...deps, hashOf: createHash(pepper), lastUsed }
  const verbs = { create, list, page, get, update, revoke, rotate, authenticate, callerOfKey }
  return { ...withContext(context, verbs), flush: lastUsed.flush, close: lastUsed.flush }
}

/** `flush` writes when keys were last used, as does `close`; call it before closing the storage. */
export type KeyService = ReturnType<typeof createKeyService>

/**
 * @throws AppError VALIDATION_FAILED; SCOPE_NOT_GRANTABLE; PLAN_LIMIT_REACHED with API_KEYS_LIMIT
 */
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
  const created_by = await assertGrantable(ctx, tx, actor, scopes)
  await takeSlot(tx, ctx.plans, workspaceNo, now)
  const created = await insert(ctx, tx, {
    workspace_no: workspaceNo,
    name,
    scopes: storedScopes(scopes),
    created_by,
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
    object: await eventObjectOf(tx, id, now),
  })
  return created
}

async function list({ storage, clock }: KeyContext, filter: KeyFilter = {}): Promise<ApiKey[]> {
  const now = clock.now()
  const rows = await listKeys(storage.read, filter.workspaceNo)
  return rows.map((row) => apiKeyOf(row, now))
}

/** A page of a workspace's keys, newest first. `below`: the id of the last one before it. */
async function page(
  { storage, clock }: KeyContext,
  workspaceNo: number,
  { byName, ...of }: { below: string | null; revoked: boolean; limit: number; byName: boolean },
): Promise<ApiKey[]> {
  const now = clock.now()
  const rows = await pageOfKeys(storage.read, workspaceNo, of)
  return rows.map((row) => apiKeyOf(row, now, byName))
}

/** One key; in a transaction its state there. @throws AppError KEY_NOT_FOUND */
async function get(
  { storage, clock }: KeyContext,
  ref: string,
  filter: KeyFilter = {},
  tx?: Transaction,
): Promise<ApiKey> {
  return apiKeyOf(await find(tx ?? storage.read, ref, filter), clock.now(), filter.byName)
}

/** Renames a key. @throws AppError KEY_NOT_FOUND */
async function update(
  { clock }: KeyContext,
  tx: Transaction,
  ref: string,
  { name }: { name?: string | undefined },
  filter: KeyFilter,
  actor: Actor,
): Promise<ApiKey> {
  const now = clock.now()
  const key = await findLocked(tx, ref, filter)
  if (name === undefined || name === key.name) return apiKeyOf(key, now, filter.byName)
  await renameKey(tx, key.id, name)
  await recordChange(tx, actor, {
    workspaceNo: key.workspace_no,
    at: now,
    action: 'api_key.updated',
    target: { type: 'api_key', id: key.id, label: name },
    before: { name: key.name },
    after: { name },
    object: await eventObjectOf(tx, key.id, now),
  })
  return apiKeyOf({ ...key, name }, now, filter.byName)
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
    object: await eventObjectOf(tx, key.id, now),
  })
  return true
}
