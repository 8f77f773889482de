import type { Expression, SqlBool } from 'kysely'
import type { Schema, Sql, Transaction } from '../../platform/storage/index.ts'

/** A row of `webhooks`. */
export type WebhookRow = Schema['webhooks']
/** A row of `webhook_deliveries`. */
export type DeliveryRow = Schema['webhook_deliveries']

/** The webhooks of a workspace that a reader can see. `makers`: only those of these actors. */
export interface WebhookView {
  workspaceNo: number
  makers: readonly string[] | undefined
}

function seen({ db }: Sql, { workspaceNo, makers }: WebhookView) {
  const all = db
    .selectFrom('webhooks')
    .selectAll()
    .where('workspace_no', '=', workspaceNo)
    .where('deleted_at', 'is', null)
  return makers === undefined ? all : all.where('actor_id', 'in', makers)
}

/** The newest webhooks, older than `below` if that is given. */
export function listWebhooks(
  sql: Sql,
  view: WebhookView,
  { below, limit }: { below: string | null; limit: number },
): Promise<WebhookRow[]> {
  let rows = seen(sql, view)
  if (below !== null) rows = rows.where('id', '<', below)
  return rows.orderBy('id', 'desc').limit(limit).execute()
}

export function findWebhook(sql: Sql, view: WebhookView, id: string) {
  return seen(sql, view).where('id', '=', id).executeTakeFirst()
}

/** How many webhooks a workspace has. */
export async function countWebhooks(sql: Sql, workspaceNo: number): Promise<number> {
  const rows = seen(sql, { workspaceNo, makers: undefined }).clearSelect()
  const { count } = await rows
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertWebhook({ db }: Transaction, row: WebhookRow): Promise<void> {
  await db.insertInto('webhooks').values(row).execute()
}

/** Changes a webhook. `when`: a further condition. False: it didn't hold. */
export async function changeWebhook(
  { db }: Transaction,
  id: string,
  changes: Partial<WebhookRow>,
  when: Partial<WebhookRow> = {},
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set(changes)
    .where('id', '=', id)
    .where((e) =>
      e.and(
        Object.entries(when).map(
          ([name, value]): Expression<SqlBool> =>
            e(name as keyof WebhookRow, value === null ? 'is' : '=', value as never),
        ),
      ),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The newest deliveries of a webhook, older than `below` if that is given. */
export function listDeliveries(
  { db }: Sql,
  webhookId: string,
  status: string | undefined,
  { below, limit }: { below: string | null; limit: number },
): Promise<DeliveryRow[]> {
  let rows = db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', webhookId)
  if (status !== undefined) rows = rows.where('status', '=', status)
  if (below !== null) rows = rows.where('id', '<', below)
  return rows.orderBy('id', 'desc').limit(limit).execute()
}

export function findDelivery({ db }: Sql, webhookId: string, id: string) {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Rows of one statement. */
const ROWS_MAX = 100

export async function insertDeliveries(
  { db }: Transaction,
  rows: readonly DeliveryRow[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_MAX) {
    const some = rows.slice(at, at + ROWS_MAX)
    await db.insertInto('webhook_deliveries').values(some).execute()
  }
}

/** Changes a delivery, unless its number of tries has changed meanwhile. */
export async function changeDelivery(
  { db }: Transaction,
  { id, tries }: Pick<DeliveryRow, 'id' | 'tries'>,
  changes: Partial<DeliveryRow>,
): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set(changes)
    .where('id', '=', id)
    .where('tries', '=', tries)
    .execute()
}

/** How many deliveries of a webhook wait for their first attempt or a later one, up to `max`. */
export async function countWaiting({ db }: Sql, webhookId: string, max: number): Promise<number> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('due_at', 'is not', null)
    .limit(max)
    .execute()
  return rows.length
}
