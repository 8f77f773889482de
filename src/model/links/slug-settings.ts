import { z } from '@hono/zod-openapi'
import { checked, checkWith, isObject } from '../../lib/validation/checked.ts'
import { longerThan } from '../../lib/validation/text.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { DEFAULT_DOMAIN } from '../domains/index.ts'
import { isReserved, parseSlug } from './slug.ts'

/** What generated slugs are made of. */
export const SLUG_STYLES = ['readable', 'lowercase', 'digits', 'words'] as const
export type SlugStyle = (typeof SLUG_STYLES)[number]

/** The random characters of a generated slug; words have a length of their own. */
const LENGTH = { min: 4, max: 32 }
const PREFIX_LENGTH_MAX = 32

/** How slugs are generated. */
export interface SlugSettings {
  /** Random characters after the prefix. */
  length: number
  style: SlugStyle
  /** Empty: none. */
  prefix: string
}

/** The same under the names of the API. */
export interface SlugFields {
  slug_length: number
  slug_style: SlugStyle
  slug_prefix: string | null
}

/** A change of them; null: the default. */
export type SlugFieldsPatch = { [K in keyof SlugFields]?: SlugFields[K] | null | undefined }

const DEFAULTS: SlugFields = { slug_length: 7, slug_style: 'readable', slug_prefix: null }

/** Whether a field of a new link is only about the generation of its slug. */
export function isSlugField(name: string): name is keyof SlugFields {
  return name in DEFAULTS
}

/** A prefix, to which a generated part is added. */
function checkPrefix(text: string): string | ValidationIssue {
  if (text === '') return text
  // Before composition, which at most four characters need.
  if (longerThan(text, 4 * PREFIX_LENGTH_MAX)) {
    return new ValidationIssue('TOO_LONG', { max: PREFIX_LENGTH_MAX })
  }
  const parsed = parseSlug(`${text}x`)
  if (parsed instanceof ValidationIssue) return parsed
  const prefix = parsed.slug.slice(0, -1)
  return longerThan(prefix, PREFIX_LENGTH_MAX)
    ? new ValidationIssue('TOO_LONG', { max: PREFIX_LENGTH_MAX })
    : prefix
}

/** Checks a prefix of the instance's own host. */
export const noneReserved = checkWith<{ slug_prefix?: string | null | undefined }>(
  ({ slug_prefix: prefix }) => reservedFaults(prefix, DEFAULT_DOMAIN),
  isObject,
)

/** The fault of a prefix below a reserved first segment, of which nothing could be generated. */
export function reservedFaults(prefix: unknown, domainNo: number): ValidationIssue[] {
  const isBelow = typeof prefix === 'string' && prefix.includes('/')
  return isBelow && isReserved(prefix, domainNo)
    ? [new ValidationIssue('SLUG_RESERVED').at('slug_prefix')]
    : []
}

/** What null stands for in settings. */
export const BY_DEFAULT = 'Default: 7 characters of `readable`, without a prefix.'

/** The schemas in bodies; `otherwise` says what null stands for. */
export function slugFields(otherwise: string) {
  return {
    slug_length: z
      .int()
      .min(LENGTH.min)
      .max(LENGTH.max)
      .nullable()
      .openapi({
        description:
          'How many random characters a generated slug has after its prefix, more after ' +
          `collisions. Not for \`words\`. ${otherwise}`,
        example: 7,
      }),
    slug_style: z
      .enum(SLUG_STYLES)
      .nullable()
      .openapi({
        description:
          'What generated slugs are made of: `readable`: small letters and digits without those ' +
          'that look alike; `lowercase`: a to z; `digits`: 0 to 9, which are easily guessed if ' +
          'they are few; `words`: two English words and digits. None contains a word that offends, ' +
          `as far as a list knows. ${otherwise}`,
        example: 'words',
      }),
    slug_prefix: checked(z.string(), checkPrefix)
      .nullable()
      .openapi({
        maxLength: PREFIX_LENGTH_MAX,
        description:
          'What generated slugs begin with, by the rules of slugs; `/` ends a segment. Empty: ' +
          `nothing. ${otherwise}`,
        example: 'sale/',
      }),
  }
}

/** The schemas in responses. */
export const SLUG_FIELDS_SHOWN = {
  slug_length: z
    .int()
    .openapi({ description: 'How many random characters generated slugs have, after a prefix.' }),
  slug_style: z.enum(SLUG_STYLES).openapi({ description: 'What generated slugs are made of.' }),
  slug_prefix: z
    .string()
    .nullable()
    .openapi({ description: 'What generated slugs begin with. Null: nothing.' }),
}

/** Stored settings under the names of the API; null or undefined: the defaults. */
export function slugFieldsOf(stored: string | null | undefined): SlugFields {
  return { ...DEFAULTS, ...(stored && (JSON.parse(stored) as Partial<SlugFields>)) }
}

/** Settings after a change, as they are stored: only what differs from the defaults. */
export function withSlugFields(stored: string | null, patch: SlugFieldsPatch): string | null {
  const fields: Record<string, unknown> = { ...slugFieldsOf(stored) }
  for (const [name, standard] of Object.entries(DEFAULTS)) {
    const value = patch[name as keyof SlugFields]
    if (value !== undefined) fields[name] = value === '' ? null : (value ?? standard)
    if (fields[name] === standard) delete fields[name]
  }
  return Object.keys(fields).length === 0 ? null : JSON.stringify(fields)
}

/** Stored settings, and what a request gives for itself. */
export function slugSettings(
  stored: string | null | undefined,
  given: SlugFieldsPatch = {},
): SlugSettings {
  const fields = slugFieldsOf(stored)
  return {
    length: given.slug_length ?? fields.slug_length,
    style: given.slug_style ?? fields.slug_style,
    prefix: given.slug_prefix ?? fields.slug_prefix ?? '',
  }
}
