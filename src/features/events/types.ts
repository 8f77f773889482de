import { z } from '@hono/zod-openapi'
import { type Actor, ActorSchema, type AuditAction } from '../audit/index.ts'

/** The types of events, with the actions of the audit log that they stand for. */
const ACTIONS = {
  'link.created': ['link.created'],
  'link.updated': ['link.updated', 'link.unblocked'],
  'link.deleted': ['link.deleted'],
  'link.restored': ['link.restored'],
  'link.started': ['link.started'],
  'link.expired': ['link.expired'],
  'link.exhausted': ['link.exhausted'],
  'link.blocked': ['link.blocked'],
  'tag.created': ['tag.created'],
  'tag.updated': ['tag.updated'],
  'tag.renamed': ['tag.renamed'],
  'tag.deleted': ['tag.deleted', 'tag.merged'],
  'folder.created': ['folder.created'],
  'folder.updated': ['folder.updated'],
  'folder.deleted': ['folder.deleted'],
  'domain.created': ['domain.created'],
  'domain.updated': ['domain.updated'],
  'domain.deleted': ['domain.deleted'],
  'domain.verified': ['domain.verified'],
  'domain.failing': ['domain.failing'],
  'key.created': ['api_key.created'],
  'key.updated': ['api_key.updated'],
  'key.rotated': ['api_key.rotated'],
  'key.revoked': ['api_key.revoked'],
  'member.added': ['member.joined'],
  'member.updated': ['member.updated'],
  'member.removed': ['member.removed', 'member.left'],
  'import.finished': ['import.finished'],
  'import.undone': ['import.undone'],
  'usage.threshold': ['usage.threshold'],
  'webhook.disabled': ['webhook.disabled'],
} as const satisfies Record<string, readonly AuditAction[]>

/** A type of events. */
export type EventType = keyof typeof ACTIONS

export const EVENT_TYPES = Object.keys(ACTIONS) as readonly EventType[]

const BY_ACTION = new Map<string, EventType>(
  EVENT_TYPES.flatMap((type) => ACTIONS[type].map((action) => [action, type] as const)),
)

/** The type of an event with an action; the action itself if it is of a newer version. */
export function typeOf(action: string): string {
  return BY_ACTION.get(action) ?? action
}

/** The actions of some types. */
export function actionsOf(types: readonly EventType[]): AuditAction[] {
  return [...new Set(types)].flatMap((type) => ACTIONS[type])
}

/** An event in responses. */
export interface FeedEvent {
  id: string
  sequence: number
  type: string
  at: string
  actor: Pick<Actor, 'type' | 'id' | 'name'>
  object: Record<string, unknown>
  previous: Record<string, unknown>
}

export const EVENT_EXAMPLE = {
  id: 'evt_00000004q5g7z2m8c4t6w9x0a1',
  sequence: 150,
  type: 'tag.renamed',
  at: '2026-05-04T09:30:12.345Z',
  actor: { type: 'api_key', id: 'key_01hzy3v9k2q4r6s8t0v2w4x6y8', name: 'Website' },
  object: {
    id: 'tag_01hzy3v9k2q4r6s8t0v2w4x6y8',
    name: 'Summer',
    color: 'green',
    created_at: '2026-05-01T08:00:00.000Z',
    updated_at: '2026-05-04T09:30:12.345Z',
    version: 2,
  },
  previous: { name: 'sumer' },
}

const anything = z.record(z.string(), z.unknown())

export const EventSchema = z
  .object({
    id: z.string().openapi({
      description: '`evt_` and 26 characters; ids of a feed sort by `sequence`.',
    }),
    sequence: z.int().openapi({
      description:
        "Counts the workspace's events without a gap, in the order of their commits. A reader who " +
        'doesn’t see all folders, or asks for some types, gets only some of the numbers.',
    }),
    type: z.string().openapi({
      description: `What happened: ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}; others may be added.`,
    }),
    at: z.string().openapi({ format: 'date-time', description: 'When it happened, in UTC.' }),
    actor: ActorSchema,
    object: anything.openapi({
      description:
        'The object as the API returned it right after the change, or right before its deletion, ' +
        'without figures such as clicks, and never with a secret.',
    }),
    previous: anything.openapi({
      description: 'The fields that were changed, as they were before.',
    }),
  })
  .openapi('Event', { example: EVENT_EXAMPLE })

export const EventListSchema = z
  .object({
    data: z.array(EventSchema).openapi({ description: 'The events, the oldest first.' }),
    pagination: z
      .object({
        limit: z.int().openapi({ description: 'The most events that this page could have.' }),
        has_more: z.boolean().openapi({
          description: 'Whether there are more events now. A page may be empty all the same.',
        }),
        next_cursor: z.string().openapi({
          description: 'The `after` of the next request, also when there are no more events yet.',
        }),
      })
      .openapi({ description: 'The position of this page in the feed.' }),
  })
  .openapi('EventList')

/** A page of events in responses. */
export type EventList = z.output<typeof EventListSchema>
