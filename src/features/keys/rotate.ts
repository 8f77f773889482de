import { AppError, invalid } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { type Actor, recordChange } from '../audit/index.ts'
import { scopesOf } from './authenticate.ts'
import { LATEST_TIME, OVERLAP_SECONDS_MAX } from './input.ts'
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
import { restrictionsOf } from './restrictions.ts'
import { statusAt } from './schemas.ts'
import type { KeyRow } from './store.ts'

/** How long a rotated key keeps working by default. */
const DEFAULT_OVERLAP_MS = 24 * 3_600_000
/** How a key is rotated. */
export interface Rotation extends KeyFilter {
  /** How long the old key keeps working, at most until its own expiry. Default: a day. */
  overlapMs?: number
}
/**
 * Makes a successor with the same name, scopes, restrictions and lifetime; the old key ends after the overlap.
 * The two take one slot of the plan.
 * @throws AppError KEY_NOT_FOUND, KEY_REVOKED, KEY_EXPIRED, KEY_ALREADY_ROTATED,
 *   ROTATION_IN_PROGRESS, SCOPE_NOT_GRANTABLE, RESTRICTION_NOT_GRANTABLE, VALIDATION_FAILED for an
 *   overlap that is too long
 */
export async function rotate(
  ctx: KeyContext,
  tx: Transaction,
  ref: string,
  rotation: Rotation,
  actor: Actor,
): Promise<CreatedKey> {
  const now = ctx.clock.now()
  const overlapMs = rotation.overlapMs ?? DEFAULT_OVERLAP_MS
  if (!(overlapMs >= 0 && overlapMs <= OVERLAP_SECONDS_MAX * 1000)) {
    const params = { min: 0, max: OVERLAP_SECONDS_MAX }
    throw invalid({ field: 'overlap_seconds', code: 'OUT_OF_RANGE', params })
  }
  const key = await findLocked(tx, ref, rotation)
  const created_by = await assertGrantable(ctx, tx, actor, {
    scopes: scopesOf(key.scopes),
    restrictions: restrictionsOf(key.restrictions) ?? {},
  })
  await assertRotatable(tx, key, now)
  const until = Math.min(key.expires_at ?? Number.POSITIVE_INFINITY, now + overlapMs)
  await tx.db.updateTable('api_keys').set({ expires_at: until }).where('id', '=', key.id).execute()
  const created = await insert(ctx, tx, {
    workspace_no: key.workspace_no,
    name: key.name,
    scopes: key.scopes,
    restrictions: key.restrictions,
    created_by,
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
    object: {
      ...(await eventObjectOf(tx, key.id, now)),
      successor: await eventObjectOf(tx, created.id, now),
    },
  })
  return created
}

/** Refuses rotations that would give one slot more than two active keys. */
async function assertRotatable(tx: Transaction, key: KeyRow, now: number): Promise<void> {
  const status = statusAt(key, now)
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
  if (['revoked', 'expired'].includes(statusAt(predecessor, now))) return
  const until = formatTimestamp(predecessor.expires_at)
  throw new AppError('ROTATION_IN_PROGRESS', {
    internal: `Key ${predecessor.prefix}, which this one replaced, works until ${until}: revoke it first`,
  })
}

/** The expiry of a key created now with the lifetime of another one. */
function sameLifetime(key: KeyRow, now: number): number | null {
  if (key.expires_at === null) return null
  return Math.min(now + (key.expires_at - key.created_at), LATEST_TIME)
}
