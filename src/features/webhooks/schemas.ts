import { z } from '@hono/zod-openapi'
import { listOf, pageParameters } from '../../http/page.ts'
import { VERSIONED } from '../../http/respond.ts'
import { boundedList, checked, someText } from '../../lib/validation/checked.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { ActorSchema } from '../audit/index.ts'
import { EVENT_EXAMPLE, EVENT_TYPES, EventSchema, type EventType } from '../events/types.ts'
import { RestrictionsInput } from '../keys/restrictions.ts'

/** The type of deliveries of clicks, which are no events of the feed. */
export const CLICKS = 'clicks.recorded'

/** A type of what webhooks send. */
export type WebhookType = EventType | typeof CLICKS

export const WEBHOOK_TYPES: readonly WebhookType[] = [...EVENT_TYPES, CLICKS]

/** Whether the type is one of events of the feed. */
export function isEventType(type: WebhookType): type is EventType {
  return type !== CLICKS
}

const URL_LENGTH_MAX = 2_048
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const
/** Why Slugline disabled a webhook. */
export const DISABLED_REASONS = ['gone', 'failing', 'not_permitted'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]
/** Why an attempt had no response. */
export const ATTEMPT_ERRORS = [
  'url_not_allowed',
  'dns_failed',
  'connection_failed',
  'tls_failed',
  'timeout',
  'not_permitted',
] as const

export const WEBHOOK_EXAMPLE = {
  id: 'whk_01hzy3v9k2q4r6s8t0v2w4x6y8',
  url: 'https://hooks.example.com/slugline',
  types: ['link.created', 'link.updated', 'link.deleted'],
  filter: { tags: ['spring'] },
  enabled: true,
  status: 'ok',
  disabled_reason: null,
  failing_since: null,
  public_key: 'whpk_SCcQx1Ap3LFVHxtwh8XU7EFWAeJ1rmp5FTqJZH6Lq0Q=',
  created_by: { type: 'user', id: 'usr_01hzy3v9k2q4r6s8t0v2w4x6y8', name: 'Ada' },
  created_at: '2026-05-04T09:30:00.000Z',
  updated_at: '2026-05-04T09:30:00.000Z',
  version: 1,
}
export const NEW_WEBHOOK_EXAMPLE = {
  ...WEBHOOK_EXAMPLE,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwxIcxaLM3Lso=',
}

const types = z.array(z.enum(WEBHOOK_TYPES as [WebhookType, ...WebhookType[]]))
const time = (description: string) =>
  z.string().nullable().openapi({ format: 'date-time', description })

const FilterSchema = z
  .object({
    tags: z.array(z.string()).optional(),
    folders: z.array(z.string()).optional(),
    domains: z.array(z.string()).optional(),
  })
  .openapi('WebhookFilter', {
    description: 'Only events of links that match each of these lists: tags, folders, domains.',
  })

/** A webhook in responses. */
export const WebhookSchema = z
  .object({
    id: z.string().openapi({ description: '`whk_` and 26 characters.' }),
    url: z.string().openapi({ description: 'Where requests are sent.' }),
    types: types.openapi({ description: 'What is sent.' }),
    filter: z.union([FilterSchema, z.null()]).openapi({ description: 'Null: none.' }),
    enabled: z.boolean(),
    status: z.enum(['ok', 'failing', 'disabled']).openapi({
      description: '`failing`: the last attempt failed.',
    }),
    disabled_reason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .openapi({
        description:
          'Why Slugline disabled it: `gone` (it answered 410), `failing` (five days without a success) ' +
          'or `not_permitted` (who made it may no longer do so). Null: it didn’t.',
      }),
    failing_since: time('When the first attempt since the last success failed. Null: none has.'),
    public_key: z.string().openapi({
      description: '`whpk_` and the ed25519 key (base64) that verifies `v1a` signatures.',
    }),
    created_by: ActorSchema.openapi({
      description: 'Who made it, or enabled it last: it gets what they can see.',
    }),
    ...VERSIONED,
  })
  .openapi('Webhook', { example: WEBHOOK_EXAMPLE })

export type Webhook = z.output<typeof WebhookSchema>
export const WebhookListSchema = listOf(WebhookSchema).openapi('WebhookList')

/** The only response with the secret. */
export const NewWebhookSchema = WebhookSchema.extend({
  secret: z.string().openapi({
    description: '`whsec_` and the key (base64) of `v1` signatures. It can never be shown again.',
  }),
}).openapi('CreatedWebhook', { example: NEW_WEBHOOK_EXAMPLE })

const url = checked(z.string().openapi({ format: 'uri', maxLength: URL_LENGTH_MAX }), checkUrl)

function checkUrl(text: string): string | ValidationIssue {
  if (text.length > URL_LENGTH_MAX) return new ValidationIssue('TOO_LONG', { max: URL_LENGTH_MAX })
  const parsed = URL.parse(text)
  if (parsed === null) return new ValidationIssue('INVALID_URL')
  if (!/^https?:$/.test(parsed.protocol)) {
    return new ValidationIssue('URL_SCHEME_NOT_ALLOWED', { allowed: ['https', 'http'] })
  }
  return parsed.username + parsed.password === ''
    ? parsed.href
    : new ValidationIssue('URL_HAS_CREDENTIALS')
}

const typesInput = checked(
  boundedList(types.element, { min: 1, max: WEBHOOK_TYPES.length }),
  (all) => WEBHOOK_TYPES.filter((type) => all.includes(type)),
)
  .nullable()
  .optional()
  .openapi({
    type: ['array', 'null'],
    items: { type: 'string', enum: [...WEBHOOK_TYPES] },
    minItems: 1,
    maxItems: WEBHOOK_TYPES.length,
    description: `What is sent. Null or absent: every type that there is now, except \`${CLICKS}\`.`,
  })

const fields = {
  types: typesInput,
  filter: RestrictionsInput.pick({ domains: true, folders: true, tags: true })
    .openapi('WebhookFilterInput')
    .nullable()
    .optional()
    .openapi({
      description:
        'Only events of links that currently have one of these tags (by name), are in one of these ' +
        'folders (by id) and on one of these domains (by host), as far as the lists are given. With ' +
        'a filter, events of other objects aren’t sent.',
    }),
  enabled: z.boolean().nullable().optional().openapi({ description: 'By default true.' }),
}

export const WebhookCreateSchema = z.strictObject({ url, ...fields }).openapi('WebhookCreate')
export const WebhookPatchSchema = z
  .strictObject({ url: url.optional(), ...fields })
  .openapi('WebhookPatch')
export type WebhookPatch = z.output<typeof WebhookPatchSchema>

export const ATTEMPT_EXAMPLE = {
  at: '2026-05-04T09:30:12.400Z',
  status: 200,
  duration_ms: 84,
  response: 'ok',
  error: null,
}

const AttemptSchema = z
  .object({
    at: z.string().openapi({ format: 'date-time' }),
    status: z.int().nullable().openapi({ description: 'HTTP status. Null: no response.' }),
    duration_ms: z.int(),
    response: z.string().nullable().openapi({ description: 'The first KiB of the body.' }),
    error: z.enum(ATTEMPT_ERRORS).nullable().openapi({ description: 'Why there is no response.' }),
  })
  .openapi('WebhookAttempt')
export type Attempt = z.output<typeof AttemptSchema>

export const DELIVERY_EXAMPLE = {
  id: 'dlv_01hzy3v9k2q4r6s8t0v2w4x6y8',
  event_id: EVENT_EXAMPLE.id,
  type: EVENT_EXAMPLE.type,
  status: 'succeeded',
  created_at: '2026-05-04T09:30:12.360Z',
  next_attempt_at: null,
  attempts: [ATTEMPT_EXAMPLE],
  event: EVENT_EXAMPLE,
}

export const DeliverySchema = z
  .object({
    id: z.string().openapi({ description: '`dlv_` and 26 characters.' }),
    event_id: z.string().openapi({ description: 'The `webhook-id` of its requests.' }),
    type: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    created_at: z.string().openapi({ format: 'date-time' }),
    next_attempt_at: time('When the next attempt is due, in UTC. Null: there is none.'),
    attempts: z.array(AttemptSchema).openapi({ description: 'The latest 20, the oldest first.' }),
    event: z.union([EventSchema, z.null()]).openapi({
      description: 'The body of its requests. Null: it isn’t kept, or you may not see it.',
    }),
  })
  .openapi('WebhookDelivery', { example: DELIVERY_EXAMPLE })
export type Delivery = z.output<typeof DeliverySchema>
export const DeliveryListSchema = listOf(DeliverySchema).openapi('WebhookDeliveryList')

/** The deliveries that a request made. */
export const DeliveriesMadeSchema = z
  .object({ data: z.array(DeliverySchema) })
  .openapi('WebhookDeliveriesMade')

export const DeliveriesQuery = z.object({
  status: z
    .enum(DELIVERY_STATUSES)
    .optional()
    .openapi({ param: { description: 'Only deliveries with this status.' } }),
  ...pageParameters,
})

export const ReplaySchema = z
  .strictObject({
    after: someText
      .max(64)
      .nullable()
      .optional()
      .openapi({
        description:
          'The id of an event, or a time (RFC 3339) or date (from its midnight UTC): events from then ' +
          'on. Null or absent: from the oldest on that is kept.',
        example: EVENT_EXAMPLE.id,
      }),
  })
  .openapi('WebhookReplay')

export const EventTypeListSchema = listOf(
  z.object({
    type: z.string(),
    schema: z.looseObject({}).openapi({ description: 'JSON Schema of the body.' }),
    sample: EventSchema,
  }),
).openapi('WebhookEventTypeList')
