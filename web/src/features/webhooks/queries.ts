import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'
import { everyItem } from '../../api/every-item.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import { workspaceKey } from '../../api/workspace-key.ts'

export type Webhook = Schemas['Webhook']
export type WebhookType = Webhook['types'][number]
export type WebhookBody = Schemas['WebhookCreate']
/** With its secret, which is never shown again. */
export type CreatedWebhook = Schemas['CreatedWebhook']
export type Delivery = Schemas['WebhookDelivery']
export type Attempt = Schemas['WebhookAttempt']

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** How often deliveries are read while some are pending. */
const ASK_MS = 3_000
const PAGE_SIZE = 25

/** The key of all queries of a workspace's webhooks. */
export const webhooksKey = (workspace: string) => workspaceKey(workspace, 'webhooks')

/** All webhooks of the workspace. */
export const webhooksQuery = (workspace: string) =>
  queryOptions({
    queryKey: [...webhooksKey(workspace), 'list'],
    queryFn: ({ signal }): Promise<Webhook[]> =>
      everyItem((query) => ok(api.GET('/api/v1/webhooks', { params: { query }, signal }))),
  })

export const webhookQuery = (workspace: string, id: string) =>
  queryOptions({
    queryKey: [...webhooksKey(workspace), 'one', id],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/v1/webhooks/{id}', { params: { path: { id } }, signal })),
  })

/** Every type that can be sent. */
export const typesQuery = (workspace: string) =>
  queryOptions({
    queryKey: [...webhooksKey(workspace), 'types'],
    queryFn: async ({ signal }) => {
      const types = await everyItem((query) =>
        ok(api.GET('/api/v1/webhooks/event-types', { params: { query }, signal })),
      )
      return types.map(({ type }) => type)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The deliveries of a webhook, the newest first. */
export function deliveriesQuery(workspace: string, id: string, status?: DeliveryStatus) {
  const key = [...webhooksKey(workspace), 'deliveries', id, status ?? null] as const
  const list = pagedQuery(key, (cursor, signal) => {
    const query = { limit: PAGE_SIZE, ...cursor, ...(status && { status }) }
    const params = { path: { id }, query }
    return ok(api.GET('/api/v1/webhooks/{id}/deliveries', { params, signal }))
  })
  return infiniteQueryOptions({
    ...list,
    refetchInterval: ({ state }) => {
      const all = state.data?.pages.flatMap(({ data }) => data) ?? []
      return all.some((one) => one.status === 'pending') ? ASK_MS : false
    },
  })
}

const at = (id: string) => ({ params: { path: { id } } })

export function createWebhook(body: WebhookBody): Promise<CreatedWebhook> {
  return ok(api.POST('/api/v1/webhooks', { body }))
}

export function updateWebhook(id: string, body: Schemas['WebhookPatch']): Promise<Webhook> {
  return ok(api.PATCH('/api/v1/webhooks/{id}', { ...at(id), body }))
}

export async function deleteWebhook(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/webhooks/{id}', at(id)))
}

export function rotateSecret(id: string): Promise<CreatedWebhook> {
  return ok(api.POST('/api/v1/webhooks/{id}/rotate-secret', at(id)))
}

export async function sendTest(id: string): Promise<void> {
  await ok(api.POST('/api/v1/webhooks/{id}/test', at(id)))
}

export async function resend(id: string, deliveryId: string): Promise<void> {
  const path = { id, delivery_id: deliveryId }
  await ok(api.POST('/api/v1/webhooks/{id}/deliveries/{delivery_id}/replay', { params: { path } }))
}

/** Sends all events after one, or from a time on, again; null: all that are stored. */
export function replay(id: string, after: string | null): Promise<Schemas['Job']> {
  return ok(api.POST('/api/v1/webhooks/{id}/replay', { ...at(id), body: { after } }))
}
