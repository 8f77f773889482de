import type { KeyCaller } from '../../http/callers.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import type { Random } from '../../lib/base/random.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { type Actor, changedFields, recordChange } from '../audit/index.ts'
import type { Plans } from '../plans/service.ts'
import {
  authenticate,
  callerOfKey,
  createHash,
  createLastUsed,
  scopesOf,
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
  makerOf,
  shownKeys,
} from './make.ts'
import {
  changedRestrictions,
  type RestrictedDomains,
  type RestrictionsPatch,
  restrictionsOf,
  shownRestrictions,
  storedRestrictions,
} from './restrictions.ts'
import { rotate } from './rotate.ts'
import type { ApiKey } from './schemas.ts'
import {
  type KeyRow,
  listKeys,
  pageOfKeys,
  revokeKey,
  takeSlot,
  updateKey,
  useSlots,
} from './store.ts'

export interface KeyServiceDeps extends Omit<ServiceContext, 'cursors'> {
  random: Random
  /** The secret that keys are hashed with, stored outside of the database. */
  pepper: Uint8Array
  plans: Pick<Plans, 'of'>
  domains: RestrictedDomains
}

/** API keys. `ref`: an id, or the 8 public characters. */
export function createKeyService({ pepper, ...deps }: KeyServiceDeps) {
  const lastUsed = createLastUsed(deps.storage)
  const context: KeyContext = { ...deps, hashOf: createHash(pepper), lastUsed }
  const verbs = {
    create,
    list,
    page,
    get,
    update,
    revoke,
    rotate,
    authenticate,
    callerOfKey,
    restrictionsOf: shownTo,
  }
  return { ...withContext(context, verbs), flush: lastUsed.flush, close: lastUsed.flush }
}

/** `flush` writes when keys were last used, as does `close`; call it before closing the storage. */
export type KeyService = ReturnType<typeof createKeyService>

/**
 * @throws AppError VALIDATION_FAILED; SCOPE_NOT_GRANTABLE; RESTRICTION_NOT_GRANTABLE;
 *   PLAN_LIMIT_REACHED with API_KEYS_LIMIT
 */
async function create(
  ctx: KeyContext,
  tx: Transaction,
  workspaceNo: number,
  input: NewKey,
  actor: Actor,
): Promise<CreatedKey> {
  const now = ctx.clock.now()
  const { name, scopes, restrictions: asked, expires_at } = checkNewKey(input, now)
  await tx.lockWorkspace(workspaceNo)
  const { restrictions: held } = (await makerOf(ctx, tx, actor)) ?? {}
  const restrictions = await changedRestrictions(tx, ctx.domains, workspaceNo, {}, asked, held)
  const created_by = await assertGrantable(ctx, tx, actor, { scopes, restrictions })
  await takeSlot(tx, ctx.plans, workspaceNo, now)
  const created = await insert(ctx, tx, {
    workspace_no: workspaceNo,
    name,
    scopes: storedScopes(scopes),
    restrictions: storedRestrictions(restrictions),
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

async function list(ctx: KeyContext, filter: KeyFilter = {}): Promise<ApiKey[]> {
  const { read } = ctx.storage
  return shownKeys(ctx, read, await listKeys(read, filter.workspaceNo), ctx.clock.now())
}

/** A page of a workspace's keys, newest first. `below`: the id of the last one before it. */
async function page(
  ctx: KeyContext,
  workspaceNo: number,
  { byName, ...of }: { below: string | null; revoked: boolean; limit: number; byName: boolean },
): Promise<ApiKey[]> {
  const { read } = ctx.storage
  return shownKeys(ctx, read, await pageOfKeys(read, workspaceNo, of), ctx.clock.now(), byName)
}

/** One key; in a transaction its state there. @throws AppError KEY_NOT_FOUND */
async function get(
  ctx: KeyContext,
  ref: string,
  filter: KeyFilter = {},
  tx?: Transaction,
): Promise<ApiKey> {
  const sql = tx ?? ctx.storage.read
  return toApiKey(ctx, sql, await find(sql, ref, filter), filter.byName)
}

async function toApiKey(ctx: KeyContext, sql: Sql, row: KeyRow, byName = false): Promise<ApiKey> {
  const [key] = await shownKeys(ctx, sql, [row], ctx.clock.now(), byName)
  return key as ApiKey
}

/** The restrictions of a caller, as responses have them. */
async function shownTo(
  { storage, domains }: KeyContext,
  { restrictions }: Pick<KeyCaller, 'restrictions'>,
): Promise<ApiKey['restrictions']> {
  const [shown = null] = await shownRestrictions(storage.read, domains, [restrictions])
  return shown
}

/** A change of a key. */
interface KeyPatch {
  name?: string | undefined
  /** Null: without restrictions. */
  restrictions?: RestrictionsPatch | null | undefined
}

/**
 * Renames a key, and changes its restrictions, from its next request on. A key that changes those of
 * a key, be it its own, must be allowed to make the result.
 * @throws AppError KEY_NOT_FOUND, VALIDATION_FAILED, SCOPE_NOT_GRANTABLE, RESTRICTION_NOT_GRANTABLE
 */
async function update(
  ctx: KeyContext,
  tx: Transaction,
  ref: string,
  patch: KeyPatch,
  filter: KeyFilter,
  actor: Actor,
): Promise<ApiKey> {
  const now = ctx.clock.now()
  const key = await findLocked(tx, ref, filter)
  const { workspace_no: workspaceNo } = key
  const changed = { ...key, name: patch.name ?? key.name }
  if (patch.restrictions !== undefined) {
    const held = (await makerOf(ctx, tx, actor))?.restrictions
    const had = restrictionsOf(key.restrictions) ?? {}
    const asked = patch.restrictions
    const restrictions = await changedRestrictions(tx, ctx.domains, workspaceNo, had, asked, held)
    changed.restrictions = storedRestrictions(restrictions)
    if (changed.restrictions !== key.restrictions) {
      await assertGrantable(ctx, tx, actor, { scopes: scopesOf(key.scopes), restrictions })
    }
  }
  const before = await toApiKey(ctx, tx, key, filter.byName)
  const after = await toApiKey(ctx, tx, changed, filter.byName)
  const named = ({ name, restrictions }: ApiKey) => ({ name, restrictions })
  const changes = changedFields(named(before), named(after))
  if (Object.keys(changes.after).length === 0 && changed.restrictions === key.restrictions) {
    return before
  }
  const { name, restrictions } = changed
  await updateKey(tx, key.id, { name, restrictions })
  await recordChange(tx, actor, {
    workspaceNo,
    at: now,
    action: 'api_key.updated',
    target: { type: 'api_key', id: key.id, label: name },
    ...changes,
    object: await eventObjectOf(tx, key.id, now),
  })
  return after
}

/** Revokes a key; idempotent. @throws AppError KEY_NOT_FOUND */
async function revoke(
  ctx: KeyContext,
  tx: Transaction,
  ref: string,
  filter: KeyFilter,
  actor: Actor,
): Promise<ApiKey> {
  const now = ctx.clock.now()
  const key = await findLocked(tx, ref, filter)
  const isRevoked = await endKey(tx, key, actor, now)
  return toApiKey(ctx, tx, isRevoked ? { ...key, revoked_at: now } : key)
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
