import { changedFields, recordObject, type Writer } from '../../features/audit/index.ts'
import { hashPassword as argon2id, prepareWrite } from '../../features/links/index.ts'
import type { IfMatch } from '../../http/callers.ts'
import { pageOf } from '../../http/page.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import { withContext } from '../../lib/base/verbs.ts'
import type { Reader } from '../../lib/base/view.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { HashQueue } from '../../platform/limits/index.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { checkFilters, checkSubject, seenShares } from './check.ts'
import {
  FILTERS_MAX,
  type Share,
  type ShareChange,
  type ShareList,
  type Subject,
} from './schemas.ts'
import { SHOW_DEFAULT, type Show } from './show.ts'
import {
  countShares,
  deleteShare,
  type FoundShare,
  insertShare,
  type ShareRow,
  updateShare,
} from './store.ts'
import type { ShareTokens } from './tokens.ts'

/** The most shares of a workspace. */
const SHARES_MAX = 1_000
interface ShareContext extends ServiceContext {
  hashes: HashQueue
  tokens: ShareTokens
  /** The public URL. */
  baseUrl: string
}

/** A password hashed before the transaction, because hashing is slow. */
export interface Hashed {
  password_hash?: string | null | undefined
}

type Patch = Omit<ShareChange, 'password'> & Hashed
type Change = Omit<Patch, 'filters'> & { filters?: Filters | undefined }
type Filters = Record<string, string[]>

export type ShareService = ReturnType<typeof createShareService>

/** Makes the service of shares. */
export function createShareService(context: ShareContext) {
  return withContext(context, { list, get, hash, create, update, remove })
}

/** Shares, newest first. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
async function list(
  ctx: ShareContext,
  caller: Reader,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<ShareList> {
  const binding = JSON.stringify(['shares', caller.workspace.no])
  const before =
    cursor === undefined ? undefined : (ctx.cursors.decode(cursor, binding)[0] as string)
  const rows = await seenShares(ctx.storage.read, caller, { before, limit: limit + 1 })
  const page = pageOf(rows, limit, ({ id }) => ctx.cursors.encode([id], binding))
  return { ...page, data: page.data.map((row) => toShare(ctx, row)) }
}

/** @throws AppError SHARE_NOT_FOUND */
async function get(ctx: ShareContext, caller: Reader, id: string): Promise<Share> {
  return toShare(ctx, await find(ctx.storage.read, caller, id))
}

/** Hashes the password of a request, see {@link prepareWrite}. @throws AppError what `write` throws */
function hash(
  { storage, hashes }: ShareContext,
  caller: Writer,
  password: string | null | undefined,
  write: (tx: Transaction, hashed: Hashed) => Promise<unknown>,
): Promise<Hashed> {
  const hashPassword = (text: string, { no }: { readonly no: number }) =>
    hashes.run('link', String(no), () => argon2id(text))
  return prepareWrite({ storage, hashPassword }, caller, { password }, write)
}

/** @throws AppError VALIDATION_FAILED */
async function create(
  ctx: ShareContext,
  tx: Transaction,
  caller: Writer,
  fields: Change & { subject: Subject },
): Promise<Share> {
  const { no } = caller.workspace
  await tx.lockWorkspace(no)
  if ((await countShares(tx, no)) >= SHARES_MAX) {
    throw invalid({ field: 'subject', code: 'TOO_MANY', params: { max: SHARES_MAX } })
  }
  const subject = await checkSubject(tx, caller, fields.subject)
  const faults = await checkFilters(tx, caller, fields.filters)
  if ('code' in subject) throw invalid(subject, ...faults)
  if (faults.length > 0) throw invalid(...faults)
  const at = ctx.clock.now()
  const id = ctx.ids.next('shr')
  const row: ShareRow = {
    id,
    workspace_no: no,
    token_hash: ctx.tokens.hashOf(ctx.tokens.tokenOf(id)),
    kind: subject.kind,
    subject_id: subject.id,
    views: 0,
    name: null,
    filters: '{}',
    password_hash: null,
    expires_at: null,
    shown: JSON.stringify(SHOW_DEFAULT),
    seen_by: caller.userId ?? null,
    ...given(fields),
    created_at: at,
    updated_at: at,
    version: 1,
  }
  await insertShare(tx, row)
  const made = await find(tx, caller, id)
  await recordObject(tx, caller, 'share.created', targetOf(made), at, { after: stateOf(made) })
  return toShare(ctx, made)
}

/**
 * Changes a share by a merge patch. @throws AppError SHARE_NOT_FOUND, PRECONDITION_FAILED,
 * VALIDATION_FAILED
 */
async function update(
  ctx: ShareContext,
  tx: Transaction,
  caller: Writer,
  id: string,
  { filters, ...patch }: Patch,
  ifMatch: IfMatch,
): Promise<Share> {
  await tx.lockWorkspace(caller.workspace.no)
  const before = await find(tx, caller, id)
  if (!ifMatch(before.version)) throw new AppError('PRECONDITION_FAILED')
  const merged = filters === undefined ? {} : { filters: withFilters(before, filters) }
  const faults = await checkFilters(tx, caller, merged.filters)
  if (faults.length > 0) throw invalid(...faults)
  const at = ctx.clock.now()
  const changing = { ...given({ ...patch, ...merged }), seen_by: caller.userId ?? null }
  const row = { ...before, ...changing, updated_at: at, version: before.version + 1 }
  const changes = changedFields(stateOf(before), stateOf(row))
  const isReplaced = before.password_hash !== row.password_hash && row.password_hash !== null
  if (isReplaced) changes.after = { ...changes.after, has_password: true }
  if (Object.keys(changes.after).length === 0) return toShare(ctx, before)
  await updateShare(tx, id, { ...changing, updated_at: at, version: row.version })
  await recordObject(tx, caller, 'share.updated', targetOf(row), at, changes)
  return toShare(ctx, row)
}

/** @throws AppError SHARE_NOT_FOUND, PRECONDITION_FAILED */
async function remove(
  { clock }: ShareContext,
  tx: Transaction,
  caller: Writer,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  await tx.lockWorkspace(caller.workspace.no)
  const row = await find(tx, caller, id)
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  await deleteShare(tx, id)
  const before = stateOf(row)
  await recordObject(tx, caller, 'share.deleted', targetOf(row), clock.now(), { before })
}

async function find(
  sql: Parameters<typeof seenShares>[0],
  caller: Reader,
  id: string,
): Promise<FoundShare> {
  const [row] = await seenShares(sql, caller, { id })
  if (row === undefined) throw new AppError('SHARE_NOT_FOUND')
  return row
}

/** A share's filters after a merge patch of them. @throws AppError VALIDATION_FAILED (TOO_MANY) */
function withFilters(
  { filters }: FoundShare,
  patch: NonNullable<Patch['filters']> | null,
): Filters {
  if (patch === null) return {}
  const all = Object.entries({ ...(JSON.parse(filters) as Filters), ...patch })
  const left = all.filter((entry): entry is [string, string[]] => entry[1] !== null)
  if (left.length <= FILTERS_MAX) return Object.fromEntries(left)
  throw invalid({ field: 'filters', code: 'TOO_MANY', params: { max: FILTERS_MAX } })
}

/** The columns set by a request. */
function given({ name, filters, show, password_hash, expires_at }: Change) {
  return {
    ...(name !== undefined && { name }),
    ...(filters !== undefined && { filters: JSON.stringify(filters) }),
    ...(show !== undefined && { shown: JSON.stringify(show) }),
    ...(password_hash !== undefined && { password_hash }),
    ...(expires_at !== undefined && { expires_at }),
  }
}

/** A share's fields in the API and the audit log. */
function stateOf(row: FoundShare) {
  return {
    name: row.name,
    subject: subjectOf(row),
    filters: JSON.parse(row.filters) as Record<string, string[]>,
    show: JSON.parse(row.shown) as Show[],
    has_password: row.password_hash !== null,
    expires_at: formatTimestamp(row.expires_at),
  }
}

function subjectOf({ kind, subject_id: id, tag }: FoundShare): Subject {
  if (kind === 'workspace' || id === null) return { workspace: true }
  if (kind === 'tag') return { tag: tag ?? id }
  return kind === 'link' ? { link_id: id } : { folder_id: id }
}

function toShare({ tokens, baseUrl }: ShareContext, row: FoundShare): Share {
  return {
    id: row.id,
    url: `${baseUrl}/shared/${tokens.tokenOf(row.id)}`,
    ...stateOf(row),
    views: row.views,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
    version: row.version,
  }
}

/** A share as the target of an audit entry. */
function targetOf({ id, name, tag, folder, slug }: FoundShare) {
  return { id, name: name ?? tag ?? folder ?? slug ?? '' }
}
