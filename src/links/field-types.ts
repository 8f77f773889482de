import { z } from '@hono/zod-openapi'
import { DEFAULT_DOMAIN } from '../domains/index.ts'
import { boundedText, checked, orDefault } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'
import { parseTimestamp } from '../validation/timestamp.ts'
import { TRACKING } from './schemas.ts'
import { type AliasInput, isReserved } from './slug.ts'
import { UTM_FIELDS, type UtmField } from './utm.ts'
import {
  BOUNDS,
  checkTag,
  checkTags,
  type Destination,
  URL_LENGTH_MAX,
  type UrlCheck,
} from './values.ts'

const tag = checked(z.string().openapi({ minLength: 1, maxLength: BOUNDS.tag }), checkTag)
/** A list of tags in a body. */
export const tagList = checked(z.array(tag), checkTags).openapi({ maxItems: BOUNDS.tags })

/** A time in a body. */
export function timestamp(description: string) {
  return checked(z.string(), parseTimestamp)
    .nullable()
    .openapi({ format: 'date-time', description, example: '2030-01-31T22:00:00+01:00' })
}

const SOCIAL_TITLE_MAX = 255
const SOCIAL_DESCRIPTION_MAX = 500

/** The schema of `social` in a body. */
export function socialField(checkUrl: UrlCheck) {
  const text = (max: number, description: string, example: string) =>
    boundedText({ max, min: 1 }).nullable().optional().openapi({ description, example })
  const image = checked(z.string(), (given): Destination | Fault => {
    const found = checkUrl(given)
    if (found instanceof Fault || /^https?:/.test(found.target)) return found
    return new Fault('URL_SCHEME_NOT_ALLOWED', { allowed: ['http', 'https'] })
  })
  return z
    .strictObject({
      title: text(SOCIAL_TITLE_MAX, 'The title of the preview.', 'Summer sale'),
      description: text(SOCIAL_DESCRIPTION_MAX, 'The text below it.', 'Up to half off until July.'),
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

/** Also runs when other fields are invalid, so that all faults are reported together. */
export function endsAfterStart() {
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

interface Named {
  slug?: AliasInput | undefined
  aliases?: readonly AliasInput[] | undefined
  domain?: number | undefined
}

/** Checks a new link's slugs; changes, which may keep the domain, need {@link reservedFaults}. */
export function noneReserved() {
  return z.superRefine<Named>(
    ({ slug, aliases, domain }, context) => {
      const ownNo = typeof domain === 'number' ? domain : DEFAULT_DOMAIN
      const check = (name: AliasInput | undefined, path: (string | number)[]) => {
        if (typeof name?.slug !== 'string') return
        if (!isReserved(name.slug, name.domainNo ?? ownNo)) return
        context.addIssue({ code: 'custom', path, params: { detail: 'SLUG_RESERVED' } })
      }
      check(slug, ['slug'])
      if (!Array.isArray(aliases)) return
      for (const [i, name] of aliases.entries()) check(name, ['aliases', i])
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
}
