import type { IfMatch } from '../../http/callers.ts'
import type { PageQuery } from '../../http/page.ts'
import { pageOf, pageOfAll } from '../../http/page.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { isPartial, seesFolder } from '../../lib/base/view.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import type { Restrictions } from '../../model/keys/restrictions.ts'
import { AddressNotAllowed } from '../../platform/outgoing/index.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { type Actor, changedFields, type Writer } from '../audit/index.ts'
import { changedRestrictions, restrictionsOf, storedRestrictions } from '../keys/restrictions.ts'
import { visibleTags } from '../tags/index.ts'
import type { WebhookContext } from './context.ts'
import { find, keysOf, record, stateOf, toWebhook, toWebhooks, typesOf, viewOf } from './rows.ts'
import { describeTypes } from './samples.ts'
import {
  CLICKS,
  isEventType,
  WEBHOOK_TYPES,
  type Webhook,
  type WebhookPatch,
  type WebhookType,
} from './schemas.ts'
import {
  changeWebhook,
  countWebhooks,
  insertWebhook,
  listWebhooks,
  type WebhookRow,
} from './store.ts'

/** The most webhooks of a workspace. */
export const WEBHOOKS_MAX = 100
/** How long the previous secret signs too after a rotation. */
const OVERLAP_MS = 24 * 3_600_000

/** Webhooks of workspaces. */
export function createWebhooks(context: WebhookContext) {
  return withContext(context, {
    list,
    get,
    create,
    update,
    remove,
    rotate,
    assertReachable,
    eventTypes,
  })
}

/** Webhooks of a workspace, and what can be done with them. */
export type Webhooks = ReturnType<typeof createWebhooks>

/** A page of webhooks, newest first. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
async function list(ctx: WebhookContext, caller: Writer, { limit, cursor }: PageQuery) {
  const { storage, cursors } = ctx
  const view = await viewOf(storage.read, caller)
  const binding = JSON.stringify(['webhooks', view])
  const below = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as string)
  const rows = await listWebhooks(storage.read, view, { below, limit: limit + 1 })
  const page = pageOf(rows, limit, ({ id }) => cursors.encode([id], binding))
  return { ...page, data: await toWebhooks(ctx, storage.read, page.data) }
}

/** Every type with its schema and a sample, by name. @throws AppError BAD_REQUEST */
function eventTypes({ cursors }: WebhookContext, query: PageQuery) {
  return pageOfAll(cursors, ['webhook event types'], describeTypes('all'), query, ({ type }) => [
    type,
  ])
}

/** @throws AppError WEBHOOK_NOT_FOUND */
async function get(ctx: WebhookContext, caller: Writer, id: string): Promise<Webhook> {
  const { read } = ctx.storage
  return toWebhook(ctx, read, await find(read, caller, id))
}

/** Before the transaction of a write, because it looks up a name. @throws AppError VALIDATION_FAILED */
async function assertReachable({ outgoing }: WebhookContext, url: string | undefined) {
  if (url === undefined) return
  try {
    await outgoing.check(new URL(url))
  } catch (error) {
    if (!(error instanceof AddressNotAllowed)) throw error
    throw invalid({ field: 'url', code: 'URL_NOT_ALLOWED' })
  }
}

/** @throws AppError VALIDATION_FAILED, PLAN_LIMIT_REACHED (WEBHOOKS_LIMIT) */
async function create(
  ctx: WebhookContext,
  tx: Transaction,
  caller: Writer,
  fields: WebhookPatch & { url: string },
): Promise<Webhook & { secret: string }> {
  const { no } = caller.workspace
  await tx.lockWorkspace(no)
  if ((await countWebhooks(tx, no)) >= WEBHOOKS_MAX) {
    const limit = { limit: WEBHOOKS_MAX }
    throw new AppError('PLAN_LIMIT_REACHED', {
      details: [{ field: 'webhooks', code: 'WEBHOOKS_LIMIT', params: limit }],
    })
  }
  const at = ctx.clock.now()
  const row: WebhookRow = {
    id: ctx.ids.next('whk'),
    workspace_no: no,
    url: fields.url,
    types: typesColumn(fields.types),
    filter: await filterColumn(ctx, tx, caller, null, fields.filter),
    enabled: fields.enabled === false ? 0 : 1,
    disabled_reason: null,
    deleted_at: null,
    ...makerColumns(caller.actor),
    position: await ctx.events.positionOf(caller, 'latest', undefined, tx),
    // No event lets a node look for the first clicks.
    clicks_position: null,
    next_at: at,
    lease_owner: null,
    lease_until: 0,
    failing_since: null,
    salt: newSalt(ctx),
    old_salt: null,
    old_until: null,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  await insertWebhook(tx, row)
  const webhook = await toWebhook(ctx, tx, row)
  await record(tx, caller, 'webhook.created', webhook, at, { after: stateOf(webhook) })
  return { ...webhook, secret: keysOf(ctx, row).secret }
}

/**
 * Changes a webhook by a merge patch. Enabled again, it sends what happens from then on, as who
 * enabled it. @throws AppError WEBHOOK_NOT_FOUND, PRECONDITION_FAILED, VALIDATION_FAILED
 */
async function update(
  ctx: WebhookContext,
  tx: Transaction,
  caller: Writer,
  id: string,
  patch: WebhookPatch,
  ifMatch: IfMatch,
): Promise<Webhook> {
  await tx.lockWorkspace(caller.workspace.no)
  const before = await find(tx, caller, id)
  if (!ifMatch(before.version)) throw new AppError('PRECONDITION_FAILED')
  const at = ctx.clock.now()
  const { url, types, filter } = patch
  const enabled = patch.enabled === undefined ? before.enabled : patch.enabled === false ? 0 : 1
  const changes: Partial<WebhookRow> = {
    ...(url !== undefined && url !== before.url && { url, failing_since: null }),
    ...(types !== undefined && { types: typesColumn(types), next_at: at }),
    // Chosen before, clicks go on from where they are: none is left out.
    ...(types !== undefined && !typesOf(before).includes(CLICKS) && { clicks_position: null }),
    ...(filter !== undefined && {
      filter: await filterColumn(ctx, tx, caller, before.filter, filter),
    }),
    enabled,
    ...(enabled > before.enabled && {
      disabled_reason: null,
      failing_since: null,
      next_at: at,
      clicks_position: null,
      ...makerColumns(caller.actor),
      position: await ctx.events.positionOf(caller, 'latest', undefined, tx),
    }),
  }
  const row = { ...before, ...changes, updated_at: at, version: before.version + 1 }
  const [was, is] = await toWebhooks(ctx, tx, [before, row])
  const fields = changedFields(stateOf(was as Webhook), stateOf(is as Webhook))
  // The log has only the origin of a URL.
  const isMoved = row.url !== before.url
  if (Object.keys(fields.after).length === 0 && !isMoved) return was as Webhook
  const { version } = row
  await changeWebhook(tx, id, { ...changes, updated_at: at, version })
  await record(tx, caller, 'webhook.updated', is as Webhook, at, fields)
  return is as Webhook
}

/** @throws AppError WEBHOOK_NOT_FOUND, PRECONDITION_FAILED */
async function remove(
  ctx: WebhookContext,
  tx: Transaction,
  caller: Writer,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  await tx.lockWorkspace(caller.workspace.no)
  const row = await find(tx, caller, id)
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  const at = ctx.clock.now()
  const before = await toWebhook(ctx, tx, row)
  await changeWebhook(tx, id, { deleted_at: at, enabled: 0 })
  await record(tx, caller, 'webhook.deleted', before, at, { before: stateOf(before) })
}

/**
 * Gives a webhook another secret and key pair; for a day the previous ones sign too.
 * @throws AppError WEBHOOK_NOT_FOUND
 */
async function rotate(ctx: WebhookContext, tx: Transaction, caller: Writer, id: string) {
  await tx.lockWorkspace(caller.workspace.no)
  const before = await find(tx, caller, id)
  const at = ctx.clock.now()
  const changes = {
    salt: newSalt(ctx),
    old_salt: before.salt,
    old_until: at + OVERLAP_MS,
    updated_at: at,
    version: before.version + 1,
  }
  await changeWebhook(tx, id, changes)
  const row = { ...before, ...changes }
  const webhook = await toWebhook(ctx, tx, row)
  await record(tx, caller, 'webhook.secret_rotated', webhook, at, {})
  return { ...webhook, secret: keysOf(ctx, row).secret }
}

function typesColumn(types: readonly WebhookType[] | null | undefined): string {
  return JSON.stringify(types ?? WEBHOOK_TYPES.filter(isEventType))
}

/** @throws AppError VALIDATION_FAILED (UNKNOWN_DOMAIN, FOLDER_NOT_FOUND, TAG_NOT_FOUND) */
async function filterColumn(
  { domains }: WebhookContext,
  tx: Transaction,
  caller: Writer,
  before: string | null,
  patch: WebhookPatch['filter'],
): Promise<string | null> {
  if (patch === undefined) return before
  const held: Restrictions = caller.allowed?.domains ? { domains: caller.allowed.domains } : {}
  const had = restrictionsOf(before) ?? {}
  const { no } = caller.workspace
  const after = await changedRestrictions(tx, domains, no, had, patch, held, 'filter')
  // A hidden object is answered like one that doesn't exist.
  const hidden = after.folders?.findIndex((id) => !seesFolder(caller, id)) ?? -1
  if (hidden >= 0) throw invalid({ field: `filter.folders[${hidden}]`, code: 'FOLDER_NOT_FOUND' })
  const tags = isPartial(caller) ? await visibleTags(tx, caller, after.tags ?? []) : undefined
  const unseen = tags === undefined ? -1 : (after.tags?.findIndex((id) => !tags.has(id)) ?? -1)
  if (unseen >= 0) throw invalid({ field: `filter.tags[${unseen}]`, code: 'TAG_NOT_FOUND' })
  return storedRestrictions(after)
}

function makerColumns({ type, id, name }: Actor) {
  return { actor_type: type, actor_id: id, actor_label: name }
}

function newSalt({ random }: WebhookContext): string {
  return Buffer.from(random.bytes(16)).toString('hex')
}
