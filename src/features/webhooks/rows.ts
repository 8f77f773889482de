import { versionedOf } from '../../http/respond.ts'
import { isPartial } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { type Actor, recordObject, type Writer, withoutAddresses } from '../audit/index.ts'
import { predecessors } from '../keys/predecessors.ts'
import { restrictionsOf, shownRestrictions } from '../keys/restrictions.ts'
import type { WebhookContext } from './context.ts'
import type { DisabledReason, Webhook, WebhookType } from './schemas.ts'
import { signingKeys } from './sign.ts'
import { findWebhook, type WebhookRow, type WebhookView } from './store.ts'

/** Who sees only some links sees only the webhooks that they made: others send what is hidden. */
export async function viewOf(sql: Sql, caller: Writer): Promise<WebhookView> {
  const { workspace, actor } = caller
  const makers = isPartial(caller)
    ? await predecessors(sql, workspace.no, actor.id ?? '')
    : undefined
  return { workspaceNo: workspace.no, makers }
}

/** @throws AppError WEBHOOK_NOT_FOUND */
export async function find(sql: Sql, caller: Writer, id: string): Promise<WebhookRow> {
  const row = await findWebhook(sql, await viewOf(sql, caller), id)
  if (row === undefined) throw new AppError('WEBHOOK_NOT_FOUND')
  return row
}

/** The keys that sign a webhook's requests: first the current ones. */
export function keysOf({ secrets }: Pick<WebhookContext, 'secrets'>, row: WebhookRow) {
  return signingKeys(secrets.webhooks, row.id, row.salt)
}

/** The types of a webhook. */
export function typesOf(row: WebhookRow): WebhookType[] {
  return JSON.parse(row.types)
}

/** Records an action on a webhook. */
export function record(
  tx: Transaction,
  caller: { readonly workspace: { readonly no: number }; readonly actor: Actor },
  action: `webhook.${'created' | 'updated' | 'deleted' | 'secret_rotated' | 'disabled'}`,
  { id, url }: Pick<Webhook, 'id' | 'url'>,
  at: number,
  fields: Parameters<typeof recordObject>[5],
): Promise<void> {
  // Paths and parameters of such addresses are often secret.
  return recordObject(tx, caller, action, { id, name: new URL(url).host }, at, fields)
}

/** Webhooks as responses have them. */
export async function toWebhooks(
  ctx: WebhookContext,
  sql: Sql,
  rows: readonly WebhookRow[],
): Promise<Webhook[]> {
  const actors = rows.map((row) => {
    return { type: row.actor_type as Actor['type'], id: row.actor_id, name: row.actor_label }
  })
  const makers = await withoutAddresses(sql, actors)
  const filters = await shownRestrictions(
    sql,
    ctx.domains,
    rows.map(({ filter }) => restrictionsOf(filter)),
  )
  return rows.map((row, i) => ({
    id: row.id,
    url: row.url,
    types: typesOf(row),
    filter: filters[i] ?? null,
    enabled: row.enabled === 1,
    status: row.enabled === 0 ? 'disabled' : row.failing_since === null ? 'ok' : 'failing',
    disabled_reason: row.disabled_reason as DisabledReason | null,
    failing_since: row.failing_since === null ? null : formatTimestamp(row.failing_since),
    public_key: keysOf(ctx, row).publicKey,
    created_by: makers[i] as Webhook['created_by'],
    ...versionedOf(row),
  }))
}

/** One of them. */
export async function toWebhook(ctx: WebhookContext, sql: Sql, row: WebhookRow): Promise<Webhook> {
  return (await toWebhooks(ctx, sql, [row]))[0] as Webhook
}

/** What the audit log has of a webhook. */
export function stateOf({ url, types, filter, enabled }: Webhook) {
  return { url: new URL(url).origin, types, filter, enabled }
}
