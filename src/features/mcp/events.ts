import { z } from '@hono/zod-openapi'
import { get } from './call.ts'
import { text, texts, tool, whole } from './tool.ts'

const EVENT = z.looseObject({
  id: z.string(),
  sequence: z.number(),
  type: z.string(),
  at: z.string(),
  object: z.looseObject({}).describe('As it was right after the change'),
  previous: z.looseObject({}).describe('The fields that changed, as they were'),
})

export const listEvents = tool({
  name: 'list_events',
  title: 'Events since',
  description:
    'List what changed in the workspace, in order: links, tags, folders, domains, keys, members and ' +
    'imports. Without after: from the oldest event on. To continue later, pass next_cursor as after. ' +
    'With after "latest" there are no events, only the next_cursor of the end of the feed.',
  scopes: ['events:read'],
  effect: 'reads',
  input: {
    after: text('The id of an event, next_cursor, or latest.', 128),
    types: texts('Only these types, such as link.created.', 50, 1),
    limit: whole('How many events. Default: 25.', 100),
  },
  output: { events: z.array(EVENT), next_cursor: z.string().nullable(), has_more: z.boolean() },
  async run(call, { after, types, limit }) {
    const { data, pagination } = await get<{
      data: z.output<typeof EVENT>[]
      pagination: { next_cursor: string | null; has_more: boolean }
    }>(call, '/events', { after, types: types?.join(','), limit })
    const { next_cursor, has_more } = pagination
    const more = has_more ? ', and more follow: pass next_cursor as after' : ''
    return { text: `${data.length} events${more}.`, data: { events: data, next_cursor, has_more } }
  },
})
