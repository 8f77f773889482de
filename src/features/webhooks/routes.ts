import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageParameters, pageSuccess, wholeListParameters } from '../../http/page.ts'
import { answerOk, describeOne } from '../../http/respond.ts'
import { writerOf } from '../audit/index.ts'
import { JOB_EXAMPLE, JOBS_PATH, JobSchema, renderJob } from '../jobs/index.ts'
import type { Deliveries } from './deliveries.ts'
import { sampleOf } from './samples.ts'
import {
  CLICKS,
  DELIVERY_EXAMPLE,
  DeliveriesMadeSchema,
  DeliveriesQuery,
  DeliveryListSchema,
  DeliverySchema,
  EventTypeListSchema,
  NEW_WEBHOOK_EXAMPLE,
  NewWebhookSchema,
  ReplaySchema,
  WEBHOOK_EXAMPLE,
  WebhookCreateSchema,
  WebhookListSchema,
  WebhookPatchSchema,
  WebhookSchema,
} from './schemas.ts'
import { WEBHOOKS_MAX, type Webhooks } from './service.ts'

const PATH = '/api/v1/webhooks'
const READ = { scope: 'webhooks:read', tag: 'Webhooks' } as const
const WRITE = { scope: 'webhooks:write', tag: 'Webhooks' } as const
const id = z
  .string()
  .openapi({ description: 'The id of the webhook.', example: WEBHOOK_EXAMPLE.id })
const BY_ID = { path: `${PATH}/{id}`, params: z.object({ id }) }
const ONE_DELIVERY = z.object({
  id,
  delivery_id: z.string().openapi({
    description: 'The id of the delivery.',
    example: DELIVERY_EXAMPLE.id,
  }),
})

const one = describeOne('webhook', WebhookSchema, WEBHOOK_EXAMPLE)
const withSecret = (status: 200 | 201, description: string) => ({
  ...describeOne('webhook', NewWebhookSchema, NEW_WEBHOOK_EXAMPLE)(status, description),
})
const NO_STORE = { 'Cache-Control': 'no-store' }

/** The endpoints of webhooks. */
export function registerWebhookRoutes(
  api: Pick<Api, 'add'>,
  deps: { webhooks: Webhooks; webhookDeliveries: Deliveries },
): void {
  registerCollection(api, deps.webhooks)
  registerById(api, deps.webhooks)
  registerDeliveryRoutes(api, deps.webhookDeliveries)
  registerReplayRoutes(api, deps.webhookDeliveries)
}

function registerCollection(api: Pick<Api, 'add'>, webhooks: Webhooks): void {
  endpoint(api, {
    ...READ,
    method: 'get',
    path: PATH,
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description:
      'A caller that can see only some links of the workspace sees only the webhooks that it created.',
    query: z.object(pageParameters),
    success: pageSuccess(
      'One page of webhooks, the newest first.',
      WebhookListSchema,
      WEBHOOK_EXAMPLE,
    ),
    errors: ['BAD_REQUEST'],
    handler: async (call) => pageAnswer(call, await webhooks.list(writerOf(call), call.query)),
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: PATH,
    fresh: true,
    secret: true,
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Events from now on are sent to the URL, as they are in the feed, and signed according to ' +
      'Standard Webhooks 1.0. The webhook gets the events that its creator can see at the time; if ' +
      `they lose access, it is disabled. A workspace can have ${WEBHOOKS_MAX} webhooks. Only this ` +
      'response contains the secret, and it is never stored: an `Idempotency-Key` is ignored.',
    body: WebhookCreateSchema,
    bodyExample: { url: WEBHOOK_EXAMPLE.url, types: ['link.created'] },
    success: withSecret(201, 'The webhook with its secret.'),
    errors: ['PLAN_LIMIT_REACHED'],
    async handler(call) {
      await webhooks.assertReachable(call.body.url)
      return call.mutate(async (tx) => {
        const body = await webhooks.create(tx, writerOf(call), call.body)
        const headers = { Location: `${PATH}/${body.id}`, ...NO_STORE }
        return { status: 201, body, version: body.version, headers }
      })
    },
  })

  endpoint(api, {
    ...READ,
    method: 'get',
    path: `${PATH}/event-types`,
    operationId: 'listWebhookEventTypes',
    summary: 'List event types',
    description: `Every type that webhooks can send, with the JSON Schema of its body and a sample. \`${CLICKS}\` has up to 1,000 clicks.`,
    query: z.object(wholeListParameters),
    success: pageSuccess('All types, by name.', EventTypeListSchema, {
      type: 'tag.renamed',
      schema: {},
      sample: sampleOf('tag.renamed'),
    }),
    errors: ['BAD_REQUEST'],
    handler: async (call) => pageAnswer(call, webhooks.eventTypes(call.query)),
  })
}

function registerById(api: Pick<Api, 'add'>, webhooks: Webhooks): void {
  endpoint(api, {
    ...READ,
    ...BY_ID,
    method: 'get',
    operationId: 'getWebhook',
    summary: 'Get a webhook',
    success: one(200, 'The webhook, without its secret.'),
    errors: ['WEBHOOK_NOT_FOUND'],
    handler: async (call) => answerOk(await webhooks.get(writerOf(call), call.params.id)),
  })

  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'patch',
    fresh: true,
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    description:
      'A JSON merge patch (RFC 7396). A webhook that is enabled again sends events from then on, and ' +
      'deliveries that were waiting; events in between can be replayed.',
    body: WebhookPatchSchema,
    bodyExample: { enabled: true },
    success: one(200, 'The webhook as it is now.'),
    errors: ['WEBHOOK_NOT_FOUND', 'PRECONDITION_FAILED'],
    async handler(call) {
      const { params, body, ifMatch } = call
      await webhooks.assertReachable(body.url)
      return call.mutate(async (tx) =>
        answerOk(await webhooks.update(tx, writerOf(call), params.id, body, ifMatch)),
      )
    },
  })

  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'delete',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    success: { status: 204, description: 'The webhook and its deliveries are deleted.' },
    errors: ['WEBHOOK_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: (call) =>
      call.mutate((tx) => webhooks.remove(tx, writerOf(call), call.params.id, call.ifMatch)),
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: `${PATH}/{id}/rotate-secret`,
    fresh: true,
    secret: true,
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description:
      'Creates a new secret and key pair. For 24 hours, requests are signed with the previous ones, ' +
      'too. Only this response contains the new secret: an `Idempotency-Key` is ignored.',
    params: BY_ID.params,
    success: withSecret(200, 'The webhook with its new secret.'),
    errors: ['WEBHOOK_NOT_FOUND'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const body = await webhooks.rotate(tx, writerOf(call), call.params.id)
        return { ...answerOk(body), headers: NO_STORE }
      }),
  })
}

function registerDeliveryRoutes(api: Pick<Api, 'add'>, deliveries: Deliveries): void {
  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: `${PATH}/{id}/test`,
    operationId: 'testWebhook',
    summary: 'Test a webhook',
    description: 'Sends a sample of each of its types, once. The deliveries have the results.',
    params: BY_ID.params,
    success: {
      status: 202,
      description: 'The deliveries.',
      schema: DeliveriesMadeSchema,
      example: { data: [{ ...DELIVERY_EXAMPLE, status: 'pending', attempts: [] }] },
    },
    errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const data = await deliveries.test(tx, writerOf(call), call.params.id)
        return { status: 202, body: { data } }
      }),
  })

  endpoint(api, {
    ...READ,
    method: 'get',
    path: `${PATH}/{id}/deliveries`,
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries of a webhook',
    description:
      'What was sent, with each attempt and the first KiB of its response. Kept for 30 days, the ' +
      'latest 10,000 of a webhook.',
    params: BY_ID.params,
    query: DeliveriesQuery,
    success: pageSuccess(
      'One page of deliveries, the newest first.',
      DeliveryListSchema,
      DELIVERY_EXAMPLE,
    ),
    errors: ['BAD_REQUEST', 'WEBHOOK_NOT_FOUND'],
    handler: async (call) =>
      pageAnswer(call, await deliveries.list(writerOf(call), call.params.id, call.query)),
  })
}

function registerReplayRoutes(api: Pick<Api, 'add'>, deliveries: Deliveries): void {
  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: `${PATH}/{id}/deliveries/{delivery_id}/replay`,
    operationId: 'replayWebhookDelivery',
    summary: 'Replay a delivery',
    params: ONE_DELIVERY,
    success: {
      status: 202,
      description: 'The delivery, which waits for its next attempt.',
      schema: DeliverySchema,
      example: { ...DELIVERY_EXAMPLE, status: 'pending' },
    },
    errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED', 'DELIVERY_NOT_FOUND'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { id, delivery_id: delivery } = call.params
        const body = await deliveries.replay(tx, writerOf(call), { id, delivery })
        return { status: 202, body }
      }),
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: `${PATH}/{id}/replay`,
    operationId: 'replayWebhook',
    summary: 'Replay events',
    description:
      'Starts a job that sends all events after one, or from a time on, up to now, as far as they match ' +
      'the webhook.',
    params: BY_ID.params,
    body: ReplaySchema,
    bodyExample: { after: DELIVERY_EXAMPLE.event_id },
    success: {
      status: 202,
      description: 'The job.',
      schema: JobSchema,
      headers: { Location: 'The path of the job.' },
      example: { ...JOB_EXAMPLE, type: 'webhook.replay' },
    },
    errors: [
      'BAD_REQUEST',
      'WEBHOOK_NOT_FOUND',
      'WEBHOOK_DISABLED',
      'EVENTS_EXPIRED',
      'EVENTS_OTHER_FEED',
      'TOO_MANY_JOBS',
    ],
    handler: (call) =>
      call.mutate(async (tx) => {
        const after = call.body.after ?? undefined
        const { id } = call.params
        const row = await deliveries.replayAll(tx, writerOf(call), { id, after })
        const headers = { Location: `${JOBS_PATH}/${row.id}` }
        return { status: 202, body: renderJob(row, call), headers }
      }),
  })
}
