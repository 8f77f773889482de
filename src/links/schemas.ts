import { z } from '@hono/zod-openapi'
import { type LinkRules, linkFields } from './fields.ts'
import { STATUSES } from './status.ts'
import { type Link, REDIRECT_STATUSES } from './types.ts'

/** What the reference shows as a link. */
export const LINK_EXAMPLE: Link = {
  id: 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8',
  destination_url: 'https://example.com/summer?utm_source=newsletter',
  slug: 'summer-sale',
  aliases: ['sommer'],
  domain: 'go.example.com',
  short_url: 'https://go.example.com/summer-sale',
  title: 'Summer sale',
  notes: null,
  tags: ['newsletter', 'summer'],
  external_id: 'crm-4711',
  enabled: true,
  status: 'active',
  redirect_status: 302,
  forward_query: false,
  starts_at: null,
  expires_at: '2030-01-31T21:00:00.000Z',
  max_clicks: null,
  fallback_url: null,
  has_password: false,
  clicks: { total: 1280, human: 1204, bot: 76, unique: 987 },
  last_clicked_at: '2026-05-04T09:30:12.345Z',
  created_at: '2026-05-01T08:00:00.000Z',
  updated_at: '2026-05-02T14:12:10.250Z',
  version: 3,
}

const time = z.string().openapi({ format: 'date-time' })
const count = z.int().min(0)

/** A link as it is given out. */
export const LinkSchema = z
  .object({
    id: z.string().openapi({ description: 'Sorts by the time of creation.' }),
    destination_url: z.string(),
    slug: z.string(),
    aliases: z.array(z.string()),
    domain: z.string(),
    short_url: z.string().openapi({ format: 'uri' }),
    title: z.string().nullable(),
    notes: z.string().nullable(),
    tags: z.array(z.string()),
    external_id: z.string().nullable(),
    enabled: z.boolean(),
    status: z.enum(STATUSES).openapi({
      description: 'The first that applies of: blocked, disabled, expired, exhausted, scheduled.',
    }),
    redirect_status: z
      .literal(REDIRECT_STATUSES)
      .openapi({ type: 'integer', enum: [...REDIRECT_STATUSES] }),
    forward_query: z.boolean(),
    starts_at: time.nullable(),
    expires_at: time.nullable(),
    max_clicks: z.int().nullable(),
    fallback_url: z.string().nullable(),
    has_password: z.boolean(),
    clicks: z.object({ total: count, human: count, bot: count, unique: count }),
    last_clicked_at: time.nullable(),
    created_at: time,
    updated_at: time,
    version: z.int().openapi({ description: 'Grows with every change; the ETag says it too.' }),
  })
  .openapi('Link', { example: LINK_EXAMPLE })

/** One page of links. */
export const LinkListSchema = z
  .object({
    data: z.array(LinkSchema),
    pagination: z.object({
      limit: z.int(),
      total: count.openapi({ description: 'How many links match, on all pages.' }),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
      prev_cursor: z.string().nullable(),
      page: z.int().optional().openapi({ description: 'Only when it was asked for.' }),
    }),
  })
  .openapi('LinkList')

/** The schemas of what a client writes; they check it against this instance's own hosts. */
export function createLinkSchemas(rules: LinkRules) {
  const fields = linkFields(rules)
  const { destination_url, ...others } = fields
  const create = z
    .strictObject({ destination_url, ...z.object(others).partial().shape })
    .check(endsAfterStart())
    .openapi('LinkCreate')
  const patch = z
    .strictObject(z.object(fields).partial().shape)
    .check(endsAfterStart())
    .openapi('LinkPatch')
  return { create, patch }
}

export type LinkSchemas = ReturnType<typeof createLinkSchemas>

interface Period {
  starts_at?: number | null | undefined
  expires_at?: number | null | undefined
}

/** Also says so when other fields are wrong: all that is wrong is reported at once. */
function endsAfterStart() {
  return z.superRefine<Period>(
    ({ starts_at, expires_at }, context) => {
      if (typeof starts_at !== 'number' || typeof expires_at !== 'number') return
      if (expires_at > starts_at) return
      context.addIssue({
        code: 'custom',
        path: ['expires_at'],
        params: { detail: 'ENDS_BEFORE_START' },
      })
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
}
