import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { PAGE_LIMIT } from '../../http/page.ts'
import { checked, someText, whole } from '../../lib/validation/checked.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { EventService } from './service.ts'
import type { EventStreams } from './streams.ts'
import { EVENT_EXAMPLE, EVENT_TYPES, EventListSchema, type EventType } from './types.ts'

const TAG = 'Events'
const TYPES_LENGTH_MAX = 1_000

const after = someText.optional().openapi({
  param: {
    description:
      'Events after the one with this id, or after the `latest`. Absent: from the oldest on.',
  },
  example: EVENT_EXAMPLE.id,
})

const types = checked(someText.max(TYPES_LENGTH_MAX), (text): EventType[] | ValidationIssue => {
  const names = text.split(',')
  const known = EVENT_TYPES.filter((type) => names.includes(type))
  const isKnown = names.every((name) => known.some((type) => type === name))
  return isKnown ? known : new ValidationIssue('INVALID_VALUE', { allowed: [...EVENT_TYPES] })
})
  .optional()
  .openapi({
    param: { description: 'Only events of these types, separated by commas. Absent: all.' },
    type: 'string',
    example: 'link.created,link.deleted',
  })

const Query = z.object({
  after,
  types,
  limit: whole(PAGE_LIMIT.max)
    .default(PAGE_LIMIT.default)
    .openapi({
      param: {
        description:
          'How many events a page has at most; fewer if they have more than 4 MiB together.',
      },
      default: PAGE_LIMIT.default,
    }),
})

/** The endpoints of events. */
export function registerEventRoutes(
  api: Pick<Api, 'add'>,
  deps: { events: EventService; eventStreams: EventStreams },
): void {
  const { events, eventStreams } = deps

  endpoint(api, {
    method: 'get',
    path: '/api/v1/events',
    scope: 'events:read',
    operationId: 'listEvents',
    tag: TAG,
    summary: 'List events',
    description:
      'What changed in the workspace, the oldest first: every change once, in the order in which ' +
      'they were committed. Store `next_cursor`, and send it as `after` in the next request to ' +
      'continue without a gap. Events are kept for 90 days; if the ones after `after` are no longer ' +
      'kept, 410 EVENTS_EXPIRED has the `oldest`. If a backup was restored or the instance moved, ' +
      '409 EVENTS_OTHER_FEED means that the workspace has to be read again. Renaming or deleting a ' +
      'tag or folder is one event of that object, however many links it has. Readers who can’t see ' +
      'all folders get no events of the hidden ones.',
    query: Query,
    success: {
      status: 200,
      description: 'One page of events.',
      schema: EventListSchema,
      example: {
        data: [EVENT_EXAMPLE],
        pagination: { limit: PAGE_LIMIT.default, has_more: false, next_cursor: EVENT_EXAMPLE.id },
      },
    },
    errors: ['BAD_REQUEST', 'EVENTS_OTHER_FEED', 'EVENTS_EXPIRED'],
    async handler({ caller, query: { after: id, types: wanted, limit } }) {
      const from = await events.positionOf(caller, id)
      const page = await events.page(caller, from, { types: wanted, limit })
      const next_cursor = await events.idOf(caller, page.position)
      const pagination = { limit, has_more: page.hasMore, next_cursor }
      return { status: 200, body: { data: page.events, pagination } }
    },
  })

  endpoint(api, {
    method: 'get',
    path: '/api/v1/events/stream',
    scope: 'events:read',
    operationId: 'streamEvents',
    tag: TAG,
    summary: 'Stream events',
    description:
      'The same events as server-sent events (`data` is the event as in the list, `id` its id): ' +
      'first those that follow `after`, then each new one. After a disconnect, `Last-Event-ID` ' +
      'resumes without loss or repeats; browsers’ `EventSource` sends it by itself. A comment is ' +
      'sent every 15 seconds, with the current position. A client that reads nothing for 20 ' +
      'seconds is disconnected, and one whose key is revoked within a second. A workspace can have ' +
      '20 streams open; beyond that the response is 429.',
    query: z.object({ after, types }),
    success: {
      status: 200,
      description: 'The events.',
      contentType: 'text/event-stream',
      schema: z.string(),
      example: `id: ${EVENT_EXAMPLE.id}\ndata: ${JSON.stringify(EVENT_EXAMPLE)}\n\n`,
    },
    errors: ['BAD_REQUEST', 'EVENTS_OTHER_FEED', 'EVENTS_EXPIRED'],
    async handler({ caller, query, request, stillPermitted }) {
      // A reader that has received no id sends none, or an empty one.
      const header = request.headers.get('last-event-id') || undefined
      const position =
        header === undefined
          ? await events.positionOf(caller, query.after)
          : await events.positionOf(caller, header, 'Last-Event-ID')
      return {
        status: 200,
        stream: () => eventStreams.open(caller, { position, types: query.types }, stillPermitted),
        headers: {
          'Content-Type': 'text/event-stream',
          'Cache-Control': 'no-store',
          // nginx buffers responses by default.
          'X-Accel-Buffering': 'no',
        },
      }
    },
  })
}
