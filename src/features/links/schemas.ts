import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { RULE_FIELDS } from '../../redirect/rules/schemas.ts'
import { LINK_ACTIONS } from '../audit/actions.ts'
import { ActorSchema } from '../audit/index.ts'
import { STATUSES } from './row.ts'
import { UTM_FIELDS, type UtmField } from './utm.ts'
import { WARNINGS } from './warning-schema.ts'

/** Possible statuses of a redirect. */
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number]

/** Which paths a link matches. */
export const MATCHES = ['exact', 'prefix'] as const

/** How much of a link's clicks is stored. */
export const TRACKING = ['full', 'count', 'none'] as const
export type Tracking = (typeof TRACKING)[number]

/** The reference's example. */
export const LINK_EXAMPLE = {
  id: 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8',
  destination_url: 'https://example.com/summer?utm_source=newsletter',
  slug: 'summer-sale',
  aliases: ['sommer'],
  domain: 'go.example.com',
  short_url: 'https://go.example.com/summer-sale',
  title: 'Summer sale',
  notes: null,
  tags: ['newsletter', 'summer'],
  folder_id: null,
  archived: false,
  external_id: 'crm-4711',
  enabled: true,
  status: 'active',
  block: null,
  redirect_status: 302,
  forward_query: false,
  match: 'exact',
  forward_path: false,
  starts_at: null,
  expires_at: '2030-01-31T21:00:00.000Z',
  max_clicks: null,
  fallback_url: null,
  rules: [],
  variants: [],
  has_password: false,
  social: {
    title: 'Summer sale',
    description: 'Up to half off until July.',
    image_url: 'https://example.com/summer.png',
  },
  utm: { source: 'newsletter', medium: null, campaign: null, term: null, content: null },
  tracking: 'full',
  clicks: { total: 1280, human: 1204, bot: 76, unique: 987, imported: 0 },
  last_clicked_at: '2026-05-04T09:30:12.345Z',
  created_by: { type: 'api_key', id: 'key_01hzy3v9k2q4r6s8t0v2w4x6y8', name: 'Newsletter' },
  created_at: '2026-05-01T08:00:00.000Z',
  updated_at: '2026-05-02T14:12:10.250Z',
  version: 3,
}

const text = (description: string) => z.string().openapi({ description })
const flag = (description: string) => z.boolean().openapi({ description })
const count = (description: string) => z.int().min(0).openapi({ description })
const time = (description: string) => z.string().openapi({ format: 'date-time', description })

/** A link in responses. */
export const LinkSchema = z
  .object({
    id: text('`lnk_` and 26 characters; ids sort by the time when links were added.'),
    destination_url: text('Where the link leads, byte for byte as it was given.'),
    slug: text('The short name, as typed; unique on its domain without regard to case.'),
    aliases: z.array(z.string()).openapi({
      description:
        'Additional slugs of the link; `host/slug` where one is on another domain, or begins ' +
        'with the name of a host.',
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
    folder_id: text('The folder that the link is in. Null: in none.').nullable(),
    archived: flag('Whether lists omit it; it still redirects.'),
    external_id: text("The link's id in your own system. Null: none.").nullable(),
    enabled: flag('False: switched off by hand; visitors get 410.'),
    status: z.enum(STATUSES).openapi({
      description:
        'If several apply, the first of blocked, disabled, expired, exhausted and scheduled. Only ' +
        'an active link redirects.',
    }),
    block: z
      .object({
        reason: text(
          'The reason. Null: the configuration of the instance blocks the host.',
        ).nullable(),
        blocked_at: time(
          'Since when, in UTC. Null: the configuration of the instance blocks the host.',
        ).nullable(),
      })
      .nullable()
      .openapi({
        description:
          'Set by the owner of the instance: visitors get 410, also when the block is of the ' +
          "short domain, the destination's host or the workspace. Null: the link is not blocked. " +
          'A workspace can appeal it with `POST /links/{id}/appeal`.',
      }),
    redirect_status: z.literal(REDIRECT_STATUSES).openapi({
      type: 'integer',
      enum: [...REDIRECT_STATUSES],
      description: 'The HTTP status that visitors are redirected with.',
    }),
    forward_query: flag("Whether the visitor's query parameters are added to the destination's."),
    match: z.enum(MATCHES).openapi({
      description: '`prefix`: everything below `/{slug}/` leads to the link, too.',
    }),
    forward_path: flag("Whether the rest of the visitor's path is appended to the destination's."),
    starts_at: time('Until then visitors get 404. Null: redirects immediately.').nullable(),
    expires_at: time('From then on visitors get 410. Null: never expires.').nullable(),
    max_clicks: z
      .int()
      .nullable()
      .openapi({
        description:
          'After this many clicks by people visitors get 410. Bots and prefetches never count, ' +
          'and are redirected until then; `/{slug}+` hides the destination. Null: no limit.',
      }),
    fallback_url: text(
      'Where visitors go instead of the 404 or 410, unless the link is blocked. Null: nowhere.',
    ).nullable(),
    ...RULE_FIELDS,
    warnings: WARNINGS,
    has_password: flag('Whether visitors must enter a password first.'),
    social: z
      .object({
        title: text('The title of the preview. Null: none.').nullable(),
        description: text('The text below it. Null: none.').nullable(),
        image_url: text('The address of its picture. Null: none.').nullable(),
      })
      .nullable()
      .openapi({
        description:
          'The preview that services show for the link in a message. Null: they are redirected ' +
          'like people.',
      }),
    utm: z
      .object(
        Object.fromEntries(UTM_FIELDS.map((field) => [field, z.string().nullable()])) as Record<
          UtmField,
          z.ZodNullable<z.ZodString>
        >,
      )
      .openapi({
        description: 'The UTM parameters of `destination_url`; each is null if the URL lacks it.',
      }),
    tracking: z.enum(TRACKING).openapi({
      description: '`full`: single clicks are kept; `count`: only totals; `none`: neither.',
    }),
    clicks: z
      .object({
        total: count('All clicks: `human` and `bot` together.'),
        human: count('Clicks by people.'),
        bot: count('Clicks by crawlers, link previews and other programs.'),
        unique: count('Different people, distinguished within a UTC day and summed over days.'),
        imported: count('Clicks from before the import of the link; in no other number.'),
      })
      .openapi({ description: 'How often the link was clicked, since it was created.' }),
    last_clicked_at: time(
      'When it was last clicked, in UTC, bots included. Null: never.',
    ).nullable(),
    // Without the component's name: `nullable` would make that null, too.
    created_by: z
      .object(ActorSchema.shape)
      .nullable()
      .openapi({
        description:
          'Who created the link, by the current name; by the id if the person has no name or no ' +
          'longer exists. Null: it was created before Slugline stored this; its history says.',
      }),
    created_at: time('When the link was created, in UTC; of an imported one maybe elsewhere.'),
    updated_at: time('When it was last changed, in UTC; clicks leave it as it is.'),
    version: z.int().openapi({ description: 'Increases with every change; also in the ETag.' }),
  })
  .openapi('Link', { example: LINK_EXAMPLE })

/** A link as the API returns it. Timestamps are RFC 3339 in UTC with milliseconds. */
export type Link = z.output<typeof LinkSchema>

const cursor = (description: string) => z.string().nullable().openapi({ description })

/** One page of links. */
export const LinkListSchema = z
  .object({
    data: z
      .array(LinkSchema)
      .openapi({ description: 'The links of this page, in the requested order.' }),
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
          .openapi({ description: 'The number of this page; only if the request has `page`.' }),
      })
      .openapi({ description: 'The position of this page in the list.' }),
  })
  .openapi('LinkList')

export type LinkList = z.output<typeof LinkListSchema>

/** A deleted link that can still be restored. */
const DeletedLinkSchema = z
  .object({
    id: text('The id of the link; it keeps it when it is restored.'),
    destination_url: text('Its destination.'),
    slug: text('Its slug, which stays reserved for it.'),
    domain: text('The host of its short address.'),
    short_url: text('Its short address.'),
    title: text('Null: none.').nullable(),
    deleted_at: time('When it was deleted, in UTC.'),
    restorable_until: time('Until when it can be restored, in UTC.'),
  })
  .openapi('DeletedLink')
export type DeletedLink = z.output<typeof DeletedLinkSchema>

export const DeletedLinkListSchema = listOf(DeletedLinkSchema).openapi('DeletedLinkList')
export type DeletedLinkList = z.output<typeof DeletedLinkListSchema>

export const HISTORY_EXAMPLE = {
  id: 'aud_4711',
  created_at: LINK_EXAMPLE.updated_at,
  actor: { type: 'api_key', id: 'key_01hzy3v9k2q4r6s8t0v2w4x6y8', name: 'Newsletter' },
  action: 'link.updated',
  changes: { title: { from: null, to: LINK_EXAMPLE.title } },
  version: LINK_EXAMPLE.version,
}

const EntrySchema = z
  .object({
    id: text('Identifies the entry in its workspace.'),
    created_at: time('When it was changed, in UTC.'),
    actor: ActorSchema,
    action: z.enum(LINK_ACTIONS).openapi({ description: 'What was done.' }),
    changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).openapi({
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['from', 'to'],
        properties: { from: {}, to: {} },
      },
      description:
        'The fields that changed: what each was, and what it has been since. Of the password ' +
        'only `has_password`.',
    }),
    version: z.int().openapi({
      description: "The link's version since. 0: unchanged, because time or visits did it.",
    }),
  })
  .openapi('LinkHistoryEntry', { example: HISTORY_EXAMPLE })

/** A page of a link's history, newest change first. */
export const LinkHistorySchema = listOf(EntrySchema).openapi('LinkHistory')

export type HistoryPage = z.output<typeof LinkHistorySchema>
