import type { sql as raw } from 'kysely'
import { lowestIdAt } from '../../lib/base/ids.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import type { DeliveryRow, WebhookRow } from './store.ts'

/** Ids of one statement. */
const IDS_MAX = 500

/** Enabled webhooks that no node serves and that have something to send, with their workspaces. */
export async function waitingWebhooks({ db }: Sql, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks as w')
    .innerJoin('workspaces as s', 's.no', 'w.workspace_no')
    .select('w.id')
    .where('w.enabled', '=', 1)
    .where('w.lease_until', '<=', now)
    .where((e) =>
      e.or([
        e('w.position', '<', e.ref('s.audit_made')),
        e('w.next_at', '<=', now),
        // Its node stopped serving it without saying when the next delivery is due.
        e('w.lease_owner', 'is not', null),
      ]),
    )
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Takes the leases of some webhooks; returns those that no other node took. */
export async function takeLeases(
  { db }: Transaction,
  ids: readonly string[],
  { owner, now, until }: { owner: string; now: number; until: number },
): Promise<Pick<WebhookRow, 'id' | 'workspace_no'>[]> {
  const taken: Pick<WebhookRow, 'id' | 'workspace_no'>[] = []
  for (let at = 0; at < ids.length; at += IDS_MAX) {
    const rows = await db
      .updateTable('webhooks')
      .set({ lease_owner: owner, lease_until: until })
      .where('id', 'in', ids.slice(at, at + IDS_MAX))
      .where('lease_until', '<=', now)
      .where('enabled', '=', 1)
      .returning(['id', 'workspace_no'])
      .execute()
    taken.push(...rows)
  }
  return taken
}

export async function renewLeases(
  { db }: Transaction,
  ids: readonly string[],
  owner: string,
  until: number,
): Promise<void> {
  for (let at = 0; at < ids.length; at += IDS_MAX) {
    await db
      .updateTable('webhooks')
      .set({ lease_until: until })
      .where('id', 'in', ids.slice(at, at + IDS_MAX))
      .where('lease_owner', '=', owner)
      .execute()
  }
}

/** Ends the leases that an earlier process of this node left. */
export async function dropLeases({ db }: Transaction, owner: string): Promise<void> {
  const ended = { lease_until: 0 }
  await db.updateTable('webhooks').set(ended).where('lease_owner', '=', owner).execute()
}

/**
 * Ends a lease, and notes when the next delivery is due, or `next`. False: something new is due, so
 * it goes on.
 */
export async function releaseLease(
  { db }: Transaction,
  { id, position, next }: { id: string; position: number; next: number | undefined },
  owner: string,
): Promise<boolean> {
  if (next !== undefined) {
    const ended = { lease_owner: null, lease_until: 0, next_at: next }
    const own = db.updateTable('webhooks').set(ended).where('id', '=', id)
    await own.where('lease_owner', '=', owner).execute()
    return true
  }
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set((e) => ({
      lease_owner: null,
      lease_until: 0,
      position,
      next_at: e
        .selectFrom('webhook_deliveries as d')
        .select((d) => d.fn.min('d.due_at').as('next'))
        .where('d.webhook_id', '=', id)
        .where('d.due_at', 'is not', null),
    }))
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('next_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A webhook that a node serves; undefined: it is deleted, or another node took it over. */
export function servedWebhook({ db }: Sql, id: string, owner: string) {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The deliveries of a webhook that are due, besides some. */
export function dueDeliveries(
  { db }: Sql,
  webhookId: string,
  { now, without, limit }: { now: number; without: readonly string[]; limit: number },
): Promise<DeliveryRow[]> {
  let rows = db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('due_at', '<=', now)
  if (without.length > 0) rows = rows.where('id', 'not in', without)
  return rows.orderBy('due_at').orderBy('id').limit(limit).execute()
}

/** When the next delivery of a webhook is due, besides some; null: none is. */
export async function nextDueAt({ db }: Sql, webhookId: string, without: readonly string[]) {
  let rows = db
    .selectFrom('webhook_deliveries')
    .select('due_at')
    .where('webhook_id', '=', webhookId)
    .where('due_at', 'is not', null)
  if (without.length > 0) rows = rows.where('id', 'not in', without)
  return (await rows.orderBy('due_at').limit(1).executeTakeFirst())?.due_at ?? null
}

/** The person that a webhook acts for, or who made its key, with the name of the workspace. */
export async function addresseeOf({ db }: Sql, row: WebhookRow) {
  const maker = (id: string) => db.selectFrom('api_keys').select('created_by').where('id', '=', id)
  const { actor_type, actor_id } = row
  if (actor_id === null) return undefined
  const id =
    actor_type === 'user' ? actor_id : (await maker(actor_id).executeTakeFirst())?.created_by
  if (!id) return undefined
  return db
    .selectFrom('users as u')
    .innerJoin('workspaces as w', (join) => join.on('w.no', '=', row.workspace_no))
    .select(['u.email', 'u.language', 'w.name as workspace'])
    .where('u.id', '=', id)
    .executeTakeFirst()
}

/** Some webhooks, in order of their ids. */
export function webhooksAbove({ db }: Sql, id: string, limit: number) {
  return db
    .selectFrom('webhooks')
    .select(['id', 'deleted_at'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Deletes some deliveries that were made before a time. Returns how many. */
export function dropOld(tx: Transaction, before: number, limit: number): Promise<number> {
  const old = tx.db.selectFrom('webhook_deliveries').where('id', '<', lowestIdAt('dlv', before))
  return drop(tx, old.select('id').orderBy('id').limit(limit))
}

/** Deletes some deliveries of a webhook: all, or finished ones beyond the newest `kept`. */
export async function dropDeliveries(
  tx: Transaction,
  webhookId: string,
  { kept, limit }: { kept: number; limit: number },
): Promise<number> {
  const own = tx.db.selectFrom('webhook_deliveries').where('webhook_id', '=', webhookId)
  if (kept === 0) return drop(tx, own.select('id').limit(limit))
  const newest = own.select('id').orderBy('id', 'desc')
  const first = await newest
    .offset(kept - 1)
    .limit(1)
    .executeTakeFirst()
  if (first === undefined) return 0
  const beyond = own.where('id', '<', first.id).where('due_at', 'is', null)
  return drop(tx, beyond.select('id').orderBy('id').limit(limit))
}

async function drop({ db }: Transaction, ids: Parameters<typeof raw>[1]): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', ids as never)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function dropWebhook({ db }: Transaction, id: string): Promise<void> {
  await db.deleteFrom('webhooks').where('id', '=', id).execute()
}
