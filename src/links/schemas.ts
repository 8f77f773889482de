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

const text = (description: string) => z.string().openapi({ description })
const flag = (description: string) => z.boolean().openapi({ description })
const count = (description: string) => z.int().min(0).openapi({ description })
const time = (description: string) => z.string().openapi({ format: 'date-time', description })

/** A link as it is given out. */
export const LinkSchema = z
  .object({
    id: text('`lnk_` and 26 characters; ids sort by the time of creation.'),
    destination_url: text('Where the link leads, byte for byte as it was given.'),
    slug: text('The short name, as typed; unique on its domain without regard to case.'),
    aliases: z.array(z.string()).openapi({
      description:
        'Further slugs that lead to the same link; `host/slug` where one is on another domain.',
    }),
    domain: text('The host of the short address.'),
    short_url: z
      .string()
      .openapi({ format: 'uri', description: 'The address to share: domain and slug.' }),
    title: text('A name for lists; visitors never see it. Null: none.').nullable(),
    notes: text('Notes for yourself; visitors never see them. Null: none.').nullable(),
    tags: z
      .array(z.string())
      .openapi({ description: 'Sorted, and unique without regard to case.' }),
    external_id: text("The link's id in a system of yours. Null: none.").nullable(),
    enabled: flag('False: switched off by hand; visitors get 410.'),
    status: z.enum(STATUSES).openapi({
      description:
        'The first that applies of: blocked, disabled, expired, exhausted, scheduled. Only an ' +
        'active link redirects.',
    }),
    redirect_status: z.literal(REDIRECT_STATUSES).openapi({
      type: 'integer',
      enum: [...REDIRECT_STATUSES],
      description: 'The HTTP status that visitors are redirected with.',
    }),
    forward_query: flag("Whether the visitor's query parameters are added to the destination's."),
    starts_at: time('Until then visitors get 404. Null: redirects at once.').nullable(),
    expires_at: time('From then on visitors get 410. Null: never expires.').nullable(),
    max_clicks: z.int().nullable().openapi({
      description:
        'After so many clicks by people visitors get 410; bots never count. Null: no limit.',
    }),
    fallback_url: text(
      'Where visitors go instead of the 404 or 410, unless the link is blocked. Null: nowhere.',
    ).nullable(),
    has_password: flag('Whether visitors must enter a password first.'),
    clicks: z
      .object({
        total: count('All clicks: `human` and `bot` together.'),
        human: count('Clicks by people.'),
        bot: count('Clicks by crawlers, link previews and other programs.'),
        unique: count('Different people, told apart within one UTC day and added up over days.'),
      })
      .openapi({ description: 'How often the link was clicked, since it was created.' }),
    last_clicked_at: time(
      'When it was last clicked, in UTC, bots included. Null: never.',
    ).nullable(),
    created_at: time('When the link was created, in UTC.'),
    updated_at: time('When it was last changed, in UTC; clicks leave it as it is.'),
    version: z.int().openapi({ description: 'Grows with every change; the ETag says it too.' }),
  })
  .openapi('Link', { example: LINK_EXAMPLE })

const cursor = (description: string) => z.string().nullable().openapi({ description })

/** One page of links. */
export const LinkListSchema = z
  .object({
    data: z
      .array(LinkSchema)
      .openapi({ description: 'The links of this page, in the order asked for.' }),
    pagination: z
      .object({
        limit: z.int().openapi({ description: 'The most links that this page could have.' }),
        total: count('How many links match, on all pages.'),
        total_is_exact: flag(
          'False: at least `total` links match. Only with `total=quick`.',
        ).optional(),
        has_more: flag('Whether a page follows this one.'),
        next_cursor: cursor('The `cursor` of the next page. Null: this is the last.'),
        prev_cursor: cursor('The `cursor` of the page before. Null: this is the first.'),
        page: z
          .int()
          .optional()
          .openapi({ description: 'The number of this page; only when it was asked for.' }),
      })
      .openapi({ description: 'Where this page lies in the list.' }),
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

/** Also runs when other fields are wrong, so that all faults are reported together. */
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

/** What the endpoints of links have in common. */
export const PATH = '/api/v1/links'
export const TAG = 'Links'
export const ETAG = { ETag: 'The version of the link, for `If-Match` and `If-None-Match`.' }

export const LinkParams = z.object({
  id: z.string().openapi({ description: 'The id of the link.', example: LINK_EXAMPLE.id }),
})

/** A link with its ETag. */
export function answer(status: 200 | 201, link: Link) {
  return { status, body: link, version: link.version }
}
