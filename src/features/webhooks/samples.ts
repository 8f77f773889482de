import { z } from '@hono/zod-openapi'
import { createMemo } from '../../lib/base/memo.ts'
import { DOMAIN_EXAMPLE, DomainSchema } from '../domains/schemas.ts'
import { EVENT_EXAMPLE, EventSchema, type FeedEvent } from '../events/types.ts'
import { FOLDER_EXAMPLE, FolderSchema } from '../folders/schemas.ts'
import { JOB_EXAMPLE, JobSchema } from '../jobs/index.ts'
import { KEY_EXAMPLE, KeySchema } from '../keys/schemas.ts'
import { LINK_EXAMPLE, LinkSchema } from '../links/schemas.ts'
import { MemberSchema } from '../members/schemas.ts'
import { TAG_EXAMPLE, TagSchema } from '../tags/schemas.ts'
import { CLICKS, WEBHOOK_EXAMPLE, WEBHOOK_TYPES, WebhookSchema } from './schemas.ts'

type Fields = Record<string, unknown>

/** An object of events: its fields, an example, and what a change could have been. */
interface Subject {
  schema: z.ZodObject
  example: Fields
  previous?: Fields
}

const text = z.string()
const click = {
  id: '1777887012345-1',
  clicked_at: '2026-05-04T09:30:12.345Z',
  link_id: LINK_EXAMPLE.id,
  kind: 'human',
  country: 'DE',
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  link: { schema: LinkSchema, example: LINK_EXAMPLE, previous: { title: null } },
  tag: { schema: TagSchema, example: TAG_EXAMPLE, previous: { name: 'sumer' } },
  folder: { schema: FolderSchema, example: FOLDER_EXAMPLE, previous: { name: 'Old name' } },
  domain: { schema: DomainSchema, example: DOMAIN_EXAMPLE, previous: { root_url: null } },
  key: { schema: KeySchema, example: KEY_EXAMPLE, previous: { name: 'Old website' } },
  member: {
    schema: MemberSchema,
    example: { user_id: EVENT_EXAMPLE.actor.id.replace('key', 'usr'), name: 'Ada', role: 'admin' },
    previous: { role: 'member' },
  },
  import: { schema: JobSchema, example: JOB_EXAMPLE },
  usage: {
    schema: z.object({ limit: text, threshold: z.int(), used: z.int(), max: z.int() }),
    example: { limit: 'links', threshold: 80, used: 800, max: 1000 },
  },
  webhook: {
    schema: WebhookSchema,
    example: { ...WEBHOOK_EXAMPLE, enabled: false, status: 'disabled', disabled_reason: 'failing' },
    previous: { enabled: true },
  },
  clicks: {
    schema: z.object({ clicks: z.array(z.looseObject({ id: text, clicked_at: text })) }),
    example: { clicks: [click] },
  },
}

/** Fields that events leave out: figures that change without an event. */
const FIGURES = ['clicks', 'last_clicked_at', 'last_used_at', 'links', 'restrictions', 'email']

const WHOLE = /\.(?:created|deleted|added|removed)$/

/** An event of a type as a receiver gets it, with an id of its own. */
export function sampleOf(type: string, id: string = EVENT_EXAMPLE.id): FeedEvent {
  const { example, previous = {} } = subjectOf(type)
  const object = type === CLICKS ? example : withoutFigures(example)
  const actor = EVENT_EXAMPLE.actor as FeedEvent['actor']
  return { ...EVENT_EXAMPLE, actor, id, type, object, previous: WHOLE.test(type) ? {} : previous }
}

/** Every type with the JSON Schema of its body and a sample. */
export const describeTypes = createMemo(1, (_: 'all') =>
  WEBHOOK_TYPES.map((type) => {
    const { schema } = subjectOf(type)
    const object = type === CLICKS ? schema : z.object(withoutFigures(schema.shape)).partial()
    const body = EventSchema.extend({ type: z.literal(type), object })
    return { type, schema: z.toJSONSchema(body, TO_JSON) as Fields, sample: sampleOf(type) }
  }),
)

const TO_JSON = { io: 'output', unrepresentable: 'any', reused: 'inline' } as const

function subjectOf(type: string): Subject {
  return SUBJECTS[type.slice(0, type.indexOf('.'))] as Subject
}

function withoutFigures<T>(fields: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !FIGURES.includes(name)))
}
