import { z } from '@hono/zod-openapi'
import {
  boundedList,
  boundedText,
  checked,
  checkWith,
  isObject,
  orDefault,
  someText,
} from '../../lib/validation/checked.ts'
import { parseTimestamp } from '../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { DEFAULT_DOMAIN } from '../../model/domains/index.ts'
import { type AliasInput, isReserved } from '../../model/links/slug.ts'
import { reservedFaults } from '../../model/links/slug-settings.ts'
import {
  BOUNDS,
  checkTag,
  checkTags,
  type Destination,
  URL_LENGTH_MAX,
  type UrlCheck,
} from '../../model/links/values.ts'
import { TRACKING } from './schemas.ts'
import { UTM_FIELDS, type UtmField } from './utm.ts'

const tag = checked(z.string().openapi({ minLength: 1, maxLength: BOUNDS.tag }), checkTag)
/** A list of tags in a body. */
export const tagList = checked(boundedList(tag, { max: BOUNDS.tags }), checkTags).openapi({
  maxItems: BOUNDS.tags,
})

/** Changes to a link's tags in a patch, relative to the current ones; absent or null: none. */
export const TAG_CHANGES = {
  add_tags: orDefault(tagList, []).openapi({
    description:
      'Tags that the link gets besides its own, which must not become more than 20. Not together ' +
      'with `tags`.',
    example: ['summer'],
  }),
  remove_tags: orDefault(tagList, []).openapi({
    description:
      'Tags to remove, any case, before `add_tags` are added; others are ignored. Not together ' +
      'with `tags`.',
    example: ['spring'],
  }),
}

interface Tagged {
  tags?: unknown
  add_tags?: unknown
  remove_tags?: unknown
}

/** The list as a whole, or changes to it. */
export const oneWayOfTagging = checkWith<Tagged>(({ tags, ...changes }) => {
  if (tags === undefined) return []
  const conflict = new ValidationIssue('CONFLICTING_PARAMETERS', { other: 'tags' })
  const names = ['add_tags', 'remove_tags'] as const
  return names.filter((name) => changes[name] !== undefined).map((name) => conflict.at(name))
}, isObject)

/** A time in a body. */
export function timestamp(description: string) {
  return checked(z.string(), parseTimestamp)
    .nullable()
    .openapi({ format: 'date-time', description, example: '2030-01-31T22:00:00+01:00' })
}

/** The schema of `social` in a body. */
export function socialField(checkUrl: UrlCheck) {
  const text = (max: number, description: string, example: string) =>
    boundedText({ max, min: 1 }).nullable().optional().openapi({ description, example })
  const image = checked(someText, (given): Destination | ValidationIssue => {
    const found = checkUrl(given)
    if (found instanceof ValidationIssue || /^https?:/.test(found.target)) return found
    return new ValidationIssue('URL_SCHEME_NOT_ALLOWED', { allowed: ['http', 'https'] })
  })
  return z
    .strictObject({
      title: text(BOUNDS.social_title, 'The title of the preview.', 'Summer sale'),
      description: text(
        BOUNDS.social_description,
        'The text below it.',
        'Up to half off until July.',
      ),
      image_url: image.nullable().optional().openapi({
        maxLength: URL_LENGTH_MAX,
        description: 'The address of its picture, http or https.',
        example: 'https://example.com/summer.png',
      }),
    })
    .nullable()
    .openapi({
      description:
        'The preview that services show for the link in a message: they get a page with Open ' +
        'Graph and Twitter tags, people are redirected. Null: services see the redirect too. An ' +
        'update changes the members it names.',
    })
}

const UTM_VALUE_MAX = 255
const utmValue = boundedText({ max: UTM_VALUE_MAX }).nullable().optional()

/** The schema of `utm` in a body. */
export const utmField = z
  .strictObject(
    Object.fromEntries(UTM_FIELDS.map((field) => [field, utmValue])) as Record<
      UtmField,
      typeof utmValue
    >,
  )
  .nullable()
  .openapi({
    description:
      'Sets parameters in `destination_url`, applied after it if both are given; null removes ' +
      'one, null for all of it removes all five. Nothing else of the destination changes.',
    example: { source: 'newsletter', medium: 'email' },
  })

/** The schema of `tracking` in a body. */
export const trackingField = orDefault(z.enum(TRACKING), 'full').openapi({
  description:
    '`count`: clicks are counted and no single one is kept; `none`: they are not counted either. ' +
    'Default for a new link: `full`.',
  example: 'full',
})

interface Period {
  starts_at?: number | null | undefined
  expires_at?: number | null | undefined
}

export const endsAfterStart = checkWith<Period>(({ starts_at, expires_at }) => {
  if (typeof starts_at !== 'number' || typeof expires_at !== 'number') return []
  return expires_at > starts_at ? [] : [new ValidationIssue('ENDS_BEFORE_START').at('expires_at')]
}, isObject)

interface Named {
  slug?: AliasInput | undefined
  aliases?: readonly AliasInput[] | undefined
  domain?: number | undefined
  slug_prefix?: string | null | undefined
}

/** Checks a new link's slugs; changes, which may keep the domain, need {@link reservedFaults}. */
export const noneReserved = checkWith<Named>(({ slug, aliases, domain, slug_prefix: prefix }) => {
  const ownNo = typeof domain === 'number' ? domain : DEFAULT_DOMAIN
  const check = (name: AliasInput | undefined, path: (string | number)[]) =>
    typeof name?.slug === 'string' && isReserved(name.slug, name.domainNo ?? ownNo)
      ? [new ValidationIssue('SLUG_RESERVED', undefined, path)]
      : []
  const others = Array.isArray(aliases) ? aliases : []
  const below = reservedFaults(prefix, ownNo)
  return [
    ...check(slug, ['slug']),
    ...below,
    ...others.flatMap((name, i) => check(name, ['aliases', i])),
  ]
}, isObject)
