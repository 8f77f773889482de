import type { Ids } from '../../lib/base/ids.ts'
import type { Random } from '../../lib/base/random.ts'
import { AppError } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { includesScope, type Scope } from '../../model/keys/scopes.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import type { Actor, Fields } from '../audit/index.ts'
import { type AuthenticateContext, callerOfKey, makeKey, scopesOf } from './authenticate.ts'
import { apiKeyOf } from './schemas.ts'
import { findKey, insertKey, type KeyRow, type NewKeyRow } from './store.ts'

/** A prefix has 8 of 62 characters: collisions are rare, five in a row practically impossible. */
const DRAWS_AT_MOST = 5

/** What the service of keys needs. */
export interface KeyContext extends AuthenticateContext {
  ids: Ids
  random: Random
}

/** The only value that holds the key itself. */
export type CreatedKey = Awaited<ReturnType<typeof insert>>

/** Limits the keys to those of a workspace; without `workspaceNo`, for operators only, all keys. */
export interface KeyFilter {
  workspaceNo?: number
  /** A revoked key is answered like one that doesn't exist. */
  unrevoked?: true
  /** Who made a key is shown by name, without an email address. */
  byName?: boolean
}

/** Inserts a key with new random characters. */
export async function insert(
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

/** The key of an id or a prefix. @throws AppError KEY_NOT_FOUND */
export async function find(sql: Sql, ref: string, filter: KeyFilter): Promise<KeyRow> {
  const key = await findKey(sql, ref, filter.workspaceNo)
  const isGone = filter.unrevoked && key && apiKeyOf(key, 0).status === 'revoked'
  if (key !== undefined && !isGone) return key
  throw new AppError('KEY_NOT_FOUND', { internal: `There is no key ${ref}` })
}

/**
 * A key in events, as it is in the transaction: without its last use, which is no event, and without
 * the name of who made it.
 */
export async function eventObjectOf(tx: Transaction, id: string, now: number): Promise<Fields> {
  const key = apiKeyOf(await find(tx, id, {}), now)
  const { workspace: _, last_used_at: __, created_by: maker, ...object } = key
  return { ...object, created_by: maker && { type: maker.type, id: maker.id } }
}

/** A key, locked until the transaction ends. @throws AppError KEY_NOT_FOUND */
export async function findLocked(tx: Transaction, ref: string, filter: KeyFilter): Promise<KeyRow> {
  await tx.lockWorkspace(filter.workspaceNo ?? (await find(tx, ref, {})).workspace_no)
  return find(tx, ref, filter)
}

/**
 * Refuses to give away scopes that the maker of a key hasn't got. Returns the person behind it, null
 * for the operator: a key that a key makes sees what that person sees, and is revoked with their
 * access. Read in the transaction, so that a revoked key leaves no successor.
 * @throws AppError SCOPE_NOT_GRANTABLE, INVALID_API_KEY
 */
export async function assertGrantable(
  ctx: KeyContext,
  tx: Transaction,
  { type, id }: Actor,
  scopes: readonly Scope[],
): Promise<string | null> {
  if (type === 'user') return id
  if (type !== 'api_key' || id === null) return null
  const maker = await callerOfKey(ctx, tx, id)
  if (maker === null) throw new AppError('INVALID_API_KEY')
  const scope = scopes.find((one) => !includesScope(maker.scopes, one))
  if (scope !== undefined) throw new AppError('SCOPE_NOT_GRANTABLE', { params: { scope } })
  return maker.person?.id ?? null
}
