import type { Ids } from '../../lib/base/ids.ts'
import type { Random } from '../../lib/base/random.ts'
import { AppError } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { type Restrictions, wider } from '../../model/keys/restrictions.ts'
import { includesScope, type Scope } from '../../model/keys/scopes.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import type { Actor, Fields } from '../audit/index.ts'
import { type AuthenticateContext, callerOfKey, makeKey, scopesOf } from './authenticate.ts'
import { restrictionsOf, shownRestrictions } from './restrictions.ts'
import { type ApiKey, apiKeyOf, statusAt } from './schemas.ts'
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
  { ids, random, hashOf, domains }: KeyContext,
  tx: Transaction,
  facts: Omit<NewKeyRow, 'id' | 'prefix' | 'hash'>,
) {
  for (let draw = 0; draw < DRAWS_AT_MOST; draw++) {
    const { key, prefix } = makeKey(random)
    const row = { ...facts, id: ids.next('key'), prefix, hash: hashOf(key) }
    if (!(await insertKey(tx, row))) continue
    const { id, expires_at } = row
    const [restrictions = null] = await shownRestrictions(tx, domains, [
      restrictionsOf(row.restrictions),
    ])
    return {
      id,
      key,
      prefix,
      scopes: scopesOf(row.scopes),
      ...(restrictions && { restrictions }),
      expires_at: formatTimestamp(expires_at),
    }
  }
  throw new Error('No free key prefix was found')
}

/** The key of an id or a prefix. @throws AppError KEY_NOT_FOUND */
export async function find(sql: Sql, ref: string, filter: KeyFilter): Promise<KeyRow> {
  const key = await findKey(sql, ref, filter.workspaceNo)
  const isGone = filter.unrevoked && key && statusAt(key, 0) === 'revoked'
  if (key !== undefined && !isGone) return key
  throw new AppError('KEY_NOT_FOUND', { internal: `There is no key ${ref}` })
}

/**
 * A key in events, as it is in the transaction: without its last use, which is no event, and without
 * the name of who made it and its restrictions, which name other objects.
 */
export async function eventObjectOf(tx: Transaction, id: string, now: number): Promise<Fields> {
  const key = apiKeyOf(await find(tx, id, {}), now, null, false)
  const { workspace: _, last_used_at: __, restrictions: ___, created_by: maker, ...object } = key
  return { ...object, created_by: maker && { type: maker.type, id: maker.id } }
}

/** A key, locked until the transaction ends. @throws AppError KEY_NOT_FOUND */
export async function findLocked(tx: Transaction, ref: string, filter: KeyFilter): Promise<KeyRow> {
  await tx.lockWorkspace(filter.workspaceNo ?? (await find(tx, ref, {})).workspace_no)
  return find(tx, ref, filter)
}

/** Keys as the API shows them at a time. `byName`: without the email address of who made them. */
export async function shownKeys(
  { domains }: Pick<KeyContext, 'domains'>,
  sql: Sql,
  rows: readonly KeyRow[],
  now: number,
  byName = false,
): Promise<ApiKey[]> {
  const all = rows.map((row) => restrictionsOf(row.restrictions))
  const shown = await shownRestrictions(sql, domains, all)
  return rows.map((row, i) => apiKeyOf(row, now, shown[i] ?? null, byName))
}

/** The maker of a key as it is now; null: a person or the operator, who may give everything. */
export async function makerOf(ctx: KeyContext, tx: Transaction, { type, id }: Actor) {
  if (type !== 'api_key' || id === null) return null
  const maker = await callerOfKey(ctx, tx, id)
  if (maker === null) throw new AppError('INVALID_API_KEY')
  return maker
}

/**
 * Refuses to give away scopes that the maker of a key hasn't got, and more than it reaches itself.
 * Returns the person behind it, null for the operator: a key that a key makes sees what that person
 * sees, and is revoked with their access. Read in the transaction, so that a revoked key leaves no
 * successor.
 * @throws AppError SCOPE_NOT_GRANTABLE, RESTRICTION_NOT_GRANTABLE, INVALID_API_KEY
 */
export async function assertGrantable(
  ctx: KeyContext,
  tx: Transaction,
  actor: Actor,
  { scopes, restrictions }: { scopes: readonly Scope[]; restrictions: Restrictions },
): Promise<string | null> {
  const maker = await makerOf(ctx, tx, actor)
  if (maker === null) return actor.type === 'user' ? actor.id : null
  const scope = scopes.find((one) => !includesScope(maker.scopes, one))
  if (scope !== undefined) throw new AppError('SCOPE_NOT_GRANTABLE', { params: { scope } })
  const restriction = wider(restrictions, maker.restrictions ?? {})
  if (restriction !== undefined) {
    throw new AppError('RESTRICTION_NOT_GRANTABLE', { params: { restriction } })
  }
  return maker.person?.id ?? null
}
