import { timingSafeEqual } from 'node:crypto'
import { type Actor, recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import { AppError } from '../errors/index.ts'
import type { Authenticate, Scope } from '../http/types.ts'
import type { Plans } from '../plans/service.ts'
import type { Sql, Storage, Transaction } from '../storage/index.ts'
import { personLimits } from '../workspaces/index.ts'
import { makeKey, prefixOf } from './format.ts'
import {
  checkNewKey,
  LATEST_TIME,
  type NewKey,
  scopeSetOf,
  scopesOf,
  storedScopes,
} from './input.ts'
import { createLastUsed } from './last-used.ts'
import { endKey } from './revoke.ts'
import { type ApiKey, apiKeyOf, isoOrNull } from './schemas.ts'
import {
  credentialOf,
  findKey,
  insertKey,
  type KeyRow,
  listKeys,
  type NewKeyRow,
  setExpiry,
  takeSlot,
} from './store.ts'

/** How long a rotated key goes on working, unless told otherwise. */
export const DEFAULT_OVERLAP_MS = 24 * 3_600_000
/** How long a rotated key can go on working at most. */
export const MAX_OVERLAP_MS = 90 * 24 * 3_600_000
/** 8 characters of 62: a second draw is needed once in a blue moon, a fifth never. */
const DRAWS_AT_MOST = 5
const HOUR_MS = 3_600_000

/** The one answer that holds the key itself. */
export interface CreatedKey {
  id: string
  key: string
  prefix: string
  scopes: Scope[]
  /** RFC 3339; null: never. */
  expires_at: string | null
}

/** Which keys are meant; leaving `workspaceNo` out means all workspaces', for operators alone. */
export interface KeyFilter {
  workspaceNo?: number
}

/** How a key is rotated. */
export interface Rotation extends KeyFilter {
  /** How long the old key goes on working; its own expiry still holds. Default: a day. */
  overlapMs?: number
}

/** API keys: made, listed, ended, replaced, and recognised. `ref`: an id, or the 8 characters. */
export interface KeyService {
  /**
   * @throws AppError VALIDATION_FAILED, or PLAN_LIMIT_REACHED with API_KEYS_LIMIT.
   */
  create(tx: Transaction, workspaceNo: number, input: NewKey, actor: Actor): Promise<CreatedKey>
  list(filter?: KeyFilter): Promise<ApiKey[]>
  /** One key; in a transaction as it is there. @throws AppError */
  get(ref: string, filter?: KeyFilter, tx?: Transaction): Promise<ApiKey>
  /** Ends a key for good; a second time changes nothing. @throws AppError */
  revoke(tx: Transaction, ref: string, filter: KeyFilter, actor: Actor): Promise<ApiKey>
  /**
   * Makes a successor with the same name, scopes and lifetime; the old key ends after the
   * overlap. The two take one slot of the plan.
   * @throws AppError, AppError VALIDATION_FAILED for an overlap that is too long
   */
  rotate(tx: Transaction, ref: string, rotation: Rotation, actor: Actor): Promise<CreatedKey>
  /** One read of committed state on every call: a revocation counts from the next request on. */
  authenticate: Authenticate
  /** Writes back when keys were used, at once instead of within seconds. */
  flush(): Promise<void>
  /** Flushes; to be called before the storage is closed. */
  close(): Promise<void>
}

/** What the service works with. */
export interface KeyServiceDeps {
  storage: Storage
  clock: Clock
  ids: Ids
  random: Random
  /** The secret under which keys are hashed, kept outside the database. */
  pepper: Uint8Array
  plans: Pick<Plans, 'of'>
}

/** See {@link KeyService}. */
export function createKeyService(deps: KeyServiceDeps): KeyService {
  const { storage, clock, ids, random, plans } = deps
  const keyed = new Bun.CryptoHasher('sha256', deps.pepper)
  const hashOf = (key: string) => keyed.copy().update(key).digest('hex')
  const lastUsed = createLastUsed(storage)

  type Facts = Omit<NewKeyRow, 'id' | 'prefix' | 'hash'>

  async function insert(tx: Transaction, facts: Facts): Promise<CreatedKey> {
    for (let draw = 0; draw < DRAWS_AT_MOST; draw++) {
      const { key, prefix } = makeKey(random)
      const row = { ...facts, id: ids.next('key'), prefix, hash: hashOf(key) }
      if (!(await insertKey(tx, row))) continue
      const { id, expires_at } = row
      return { id, key, prefix, scopes: scopesOf(row.scopes), expires_at: isoOrNull(expires_at) }
    }
    throw new Error('No free key prefix was found')
  }

  async function find(sql: Sql, ref: string, filter: KeyFilter): Promise<KeyRow> {
    const key = await findKey(sql, ref, filter.workspaceNo)
    if (key === undefined)
      throw new AppError('KEY_NOT_FOUND', { internal: `There is no key ${ref}` })
    return key
  }

  /** Keys are looked at before they are changed: meanwhile nobody else may. */
  async function lock(tx: Transaction, ref: string, { workspaceNo }: KeyFilter): Promise<void> {
    await tx.lockWorkspace(workspaceNo ?? (await find(tx, ref, {})).workspace_no)
  }

  /** Refuses the rotations that would give one slot more than two living keys. */
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
    if (!isAlive(apiKeyOf(predecessor, now))) return
    const until = isoOrNull(predecessor.expires_at)
    throw new AppError('PREDECESSOR_LIVES', {
      internal: `Key ${predecessor.prefix}, which this one replaced, works until ${until}: revoke it first`,
    })
  }

  return {
    async create(tx, workspaceNo, input, actor) {
      const now = clock.now()
      const checked = checkNewKey(input, now)
      await tx.lockWorkspace(workspaceNo)
      await takeSlot(tx, plans, workspaceNo, now)
      const created = await insert(tx, {
        workspace_no: workspaceNo,
        name: checked.name,
        scopes: storedScopes(checked.scopes),
        created_by: userIdOf(actor),
        created_at: now,
        expires_at: checked.expiresAt,
        rotated_from: null,
      })
      const { id, prefix, scopes, expires_at } = created
      const { name } = checked
      await recordChange(tx, actor, {
        workspaceNo,
        at: now,
        action: 'api_key.created',
        target: { type: 'api_key', id, label: name },
        before: {},
        after: { name, prefix, scopes, expires_at },
      })
      return created
    },

    async list(filter = {}) {
      const now = clock.now()
      const rows = await listKeys(storage.read, filter.workspaceNo)
      return rows.map((row) => apiKeyOf(row, now))
    },

    async get(ref, filter = {}, tx) {
      return apiKeyOf(await find(tx ?? storage.read, ref, filter), clock.now())
    },

    async revoke(tx, ref, filter, actor) {
      const now = clock.now()
      await lock(tx, ref, filter)
      const key = await find(tx, ref, filter)
      const isRevoked = await endKey(tx, key, actor, now)
      return apiKeyOf(isRevoked ? { ...key, revoked_at: now } : key, now)
    },

    async rotate(tx, ref, rotation, actor) {
      const now = clock.now()
      const overlapMs = rotation.overlapMs ?? DEFAULT_OVERLAP_MS
      if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)) {
        const params = { min: 0, max: MAX_OVERLAP_MS / HOUR_MS }
        throw new AppError('VALIDATION_FAILED', {
          details: [{ field: 'overlap_hours', code: 'OUT_OF_RANGE', params }],
        })
      }
      await lock(tx, ref, rotation)
      const key = await find(tx, ref, rotation)
      await assertRotatable(tx, key, now)
      const until = Math.min(key.expires_at ?? Number.POSITIVE_INFINITY, now + overlapMs)
      await setExpiry(tx, key.id, until)
      const created = await insert(tx, {
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
        before: { expires_at: isoOrNull(key.expires_at) },
        after: {
          expires_at: isoOrNull(until),
          successor: created.id,
          successor_prefix: created.prefix,
        },
      })
      return created
    },

    async authenticate(credential) {
      const prefix = prefixOf(credential)
      if (prefix === null) return null
      const row = await credentialOf(storage.read, prefix)
      if (row === undefined || !sameText(row.hash, hashOf(credential))) return null
      const now = clock.now()
      if (row.revoked_at !== null) return null
      if (row.expires_at !== null && row.expires_at <= now) return null
      lastUsed.note(row.id, row.last_used_at, now)
      return {
        kind: 'api_key',
        keyId: row.id,
        keyName: row.name,
        scopes: scopeSetOf(row.scopes),
        workspace: {
          no: row.workspace_no,
          id: row.workspace_id,
          language: row.language,
          plan: plans.of(row.plan_id),
        },
        ...(row.created_by !== null && {
          person: {
            id: row.created_by,
            limits: await personLimits(storage.read, plans, row.created_by),
          },
        }),
      }
    },

    flush: lastUsed.flush,
    close: lastUsed.close,
  }
}

function isAlive({ status }: ApiKey): boolean {
  return status === 'active' || status === 'rotating'
}

function userIdOf({ type, id }: Actor): string | null {
  return type === 'user' ? id : null
}

/** When a key made now ends that is to live as long as another was made for. */
function sameLifetime(key: KeyRow, now: number): number | null {
  if (key.expires_at === null) return null
  return Math.min(now + (key.expires_at - key.created_at), LATEST_TIME)
}

/** Takes the same time wherever two texts of one length differ. */
function sameText(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
