import { z } from '@hono/zod-openapi'
import {
  boundedList,
  boundedText,
  checked,
  orDefault,
  someText,
} from '../../lib/validation/checked.ts'
import { DEFAULT_DOMAIN, type Domains } from '../../model/domains/index.ts'
import { checkAlias, checkAliases, parseSlug, SLUG_LENGTH_MAX } from '../../model/links/slug.ts'
import { slugFields } from '../../model/links/slug-settings.ts'
import {
  BOUNDS,
  checkDomain,
  type Destination,
  URL_LENGTH_MAX,
  type UrlCheck,
} from '../../model/links/values.ts'
import { createRuleFields } from '../../redirect/rules/schemas.ts'
import {
  endsAfterStart,
  noneReserved,
  oneWayOfTagging,
  socialField,
  TAG_CHANGES,
  tagList,
  timestamp,
  trackingField,
  utmField,
} from './field-types.ts'
import { MATCHES, REDIRECT_STATUSES } from './schemas.ts'

/** The dependencies of validating a link's fields, read on demand. */
export interface LinkRules {
  readonly checkUrl: UrlCheck
  readonly domains: Domains
}

/** The schemas of all writable fields, each as required. */
function linkFields(rules: LinkRules) {
  const url = checked<z.ZodString, Destination>(someText, (text) => rules.checkUrl(text))
  return {
    ...addressFields(rules, url),
    ...DESCRIPTIVE_FIELDS,
    ...redirectFields(url),
    social: socialField((text) => rules.checkUrl(text)),
    utm: utmField,
    tracking: trackingField,
    ...createRuleFields((text) => rules.checkUrl(text)),
  }
}

type UrlSchema = z.ZodType<Destination, string>

/** The fields of addresses and the destination. */
function addressFields(rules: LinkRules, url: UrlSchema) {
  const alias = checked(someText, (text, no) => checkAlias(text, rules.domains, no))
  return {
    destination_url: url.openapi({
      // No format: the URL standard accepts URLs that RFC 3986 does not, in all scripts.
      maxLength: URL_LENGTH_MAX,
      description:
        'Where the link leads: an http or https address without user name and password, not on ' +
        'this instance itself. Kept and returned byte for byte. Sent percent-encoded: in that ' +
        'form, too, it has at most 8,192 bytes. In its path, query or fragment `{path}` (of a ' +
        'link that matches a prefix: the path after the slug), `{path.N}` (the N-th segment of ' +
        "that, from 1), `{query.NAME}` (a parameter of the visitor's) and `{slug}` are filled " +
        'in, percent-encoded, or left out where the visit has none.',
      example: 'https://example.com/summer?utm_source=newsletter',
    }),
    slug: checked(z.string(), parseSlug).openapi({
      minLength: 1,
      maxLength: SLUG_LENGTH_MAX,
      description:
        'The short name: letters of any script, digits, emoji, `-`, `_`, `.` and `~`, in up to 8 ' +
        'segments separated by `/`, none of them `.` or `..`. Kept as typed, unique without ' +
        'regard to case. A new link without one gets a random one.',
      example: 'summer-sale',
    }),
    aliases: checked(boundedList(alias, { max: BOUNDS.aliases }), (aliases, no) =>
      checkAliases(aliases, rules.domains, no),
    ).openapi({
      maxItems: BOUNDS.aliases,
      description:
        'Additional slugs of the link; `host/slug` on another domain of the instance: a first ' +
        'segment that is the name of one of its hosts stands for that host. An update replaces ' +
        'the whole list.',
      example: ['sommer'],
    }),
    domain: checked(someText, (host, no) => checkDomain(host, rules.domains, no)).openapi({
      description:
        "The short domain, one that this instance serves. A new link's default: its own.",
      example: 'go.example.com',
    }),
  }
}

/** The descriptive fields. */
const DESCRIPTIVE_FIELDS = {
  title: boundedText({ max: BOUNDS.title }).nullable().openapi({
    description: 'A name for lists; visitors never see it. Null: none.',
    example: 'Summer sale',
  }),
  notes: boundedText({ max: BOUNDS.notes, lines: true }).nullable().openapi({
    description: 'Notes for yourself, line breaks allowed; visitors never see them. Null: none.',
    example: 'For the July newsletter.',
  }),
  tags: tagList.openapi({
    description:
      'Words to find links by, unique without regard to case; returned sorted. An update ' +
      'replaces the whole list.',
    example: ['newsletter', 'summer'],
  }),
  folder_id: someText.nullable().openapi({
    description: 'The id of the folder that the link is in. Null: in none.',
    example: 'fld_01hzy3v9k2q4r6s8t0v2w4x6y8',
  }),
  archived: z.boolean().openapi({
    description:
      'True: lists omit the link unless it is requested. It still redirects. Default for a new ' +
      'link: false.',
    example: false,
  }),
  external_id: boundedText({ max: BOUNDS.external_id, min: 1 }).nullable().openapi({
    description: "The link's id in your own system; unique in the workspace. Null: none.",
    example: 'crm-4711',
  }),
}

/** How and when the link redirects. */
function redirectFields(url: UrlSchema) {
  return {
    enabled: z.boolean().openapi({
      description: 'False switches the link off: visitors get 410. Default for a new link: true.',
      example: true,
    }),
    redirect_status: z
      .int()
      .pipe(z.literal(REDIRECT_STATUSES))
      .openapi({
        enum: [...REDIRECT_STATUSES, null],
        description:
          'The HTTP status that visitors are redirected with. Default for a new link: 302.',
        example: 302,
      }),
    forward_query: z.boolean().openapi({
      description:
        "Whether the visitor's query parameters are added to the destination's. They are omitted " +
        'if the address would have more than 8,192 bytes. Default for a new link: false.',
      example: false,
    }),
    match: z
      .enum(MATCHES)
      .nullable()
      .openapi({
        description:
          '`prefix`: everything below `/{slug}/` leads to the link, too, unless another link is ' +
          'found there: the exact slug wins, then the longest prefix. Default, also for null: `exact`.',
        example: 'exact',
      }),
    forward_path: z
      .boolean()
      .nullable()
      .openapi({
        description:
          "Whether the rest of the visitor's path is appended to the destination's, unless that " +
          'has `{path}`. It is omitted if the address would have more than 8,192 bytes. Default, ' +
          'also for null: false.',
        example: false,
      }),
    starts_at: timestamp(
      'When the link begins to redirect; before, visitors get 404. Null: immediately.',
    ),
    expires_at: timestamp(
      'When the link stops redirecting; then visitors get 410. After `starts_at`. Null: never.',
    ),
    max_clicks: z
      .int()
      .min(1)
      .nullable()
      .openapi({
        description:
          'How many people are redirected in total, including earlier ones; then visitors get ' +
          '410. Bots are not counted. Null: no limit.',
        example: 1000,
      }),
    fallback_url: url.nullable().openapi({
      maxLength: URL_LENGTH_MAX,
      description:
        'Where visitors go while the link is disabled, scheduled, expired or exhausted. Null: ' +
        'they get a 404 or 410 page.',
      example: 'https://example.com/over',
    }),
    password: boundedText({ max: BOUNDS.password, min: 1 }).nullable().openapi({
      writeOnly: true,
      description:
        'What visitors must enter first; never returned, see `has_password`. Null: nothing.',
      example: 'open sesame',
    }),
  }
}

/** The schemas of request bodies, with this instance's own hosts. */
export function createLinkSchemas(rules: LinkRules) {
  const all = linkFields(rules)
  const fields = {
    ...all,
    aliases: orDefault(all.aliases, []),
    domain: orDefault(all.domain, DEFAULT_DOMAIN),
    tags: orDefault(all.tags, []),
    archived: orDefault(all.archived, false),
    enabled: orDefault(all.enabled, true),
    redirect_status: orDefault(all.redirect_status, 302),
    forward_query: orDefault(all.forward_query, false),
  }
  const { destination_url, ...others } = fields
  const slug = orDefault(all.slug, undefined)
  const generated = slugFields('Default, also for null: the setting of the domain.')
  const create = z
    .strictObject({
      destination_url,
      ...z.object({ ...others, slug, ...generated }).partial().shape,
    })
    .check(endsAfterStart, noneReserved)
    .openapi('LinkCreate')
  const patch = z
    .strictObject(z.object({ ...fields, ...TAG_CHANGES }).partial().shape)
    .check(endsAfterStart, oneWayOfTagging)
    .openapi('LinkPatch')
  return { create, patch }
}

export type LinkSchemas = ReturnType<typeof createLinkSchemas>

/** The validated body of a creation: times in milliseconds, null where a field is cleared. */
export type CreateFields = z.output<LinkSchemas['create']>
/** The validated body of a change; absent fields stay. */
export type PatchFields = z.output<LinkSchemas['patch']>

/** Fields that may have a password. */
export type WithPassword = Pick<PatchFields, 'password'>

/** With the password hashed before the transaction, because hashing is slow. */
export type Prepared<F extends WithPassword> = Omit<F, 'password'> & {
  password_hash?: string | null | undefined
  /** Only in imports: clients can't set it. */
  imported_clicks?: number | undefined
  /** Of a new link in an import: when it was made elsewhere, in ms. */
  created_at?: number | undefined
}
export type PreparedCreate = Prepared<CreateFields>
export type PreparedPatch = Prepared<PatchFields>
