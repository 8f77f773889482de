import { z } from '@hono/zod-openapi'
import ipaddr from 'ipaddr.js'
import {
  boundedList,
  boundedRecord,
  checked,
  orDefault,
  someText,
} from '../../lib/validation/checked.ts'
import { parseTimestamp } from '../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { countryOf, readBy, regionOf } from '../../redirect/rules/values.ts'

const text = (max: number, description: string, example: string) =>
  orDefault(z.string().max(max), undefined).optional().openapi({ description, example })
const read = (
  check: (given: string) => string | ValidationIssue,
  description: string,
  example: string,
) => orDefault(checked(someText, check), undefined).optional().openapi({ description, example })

/** The most parameters of a described visit, and values of one. */
const QUERY_MAX = 100

/** A described visitor; absent or null members are unknown. */
const VisitorSchema = z
  .strictObject({
    at: orDefault(checked(z.string(), parseTimestamp), undefined).optional().openapi({
      format: 'date-time',
      description: 'The time of the visit. Default: now.',
      example: '2030-01-31T21:00:00Z',
    }),
    user_agent: text(512, 'Their `User-Agent`. Default: an unspecified browser.', 'curl/8.5'),
    country: read(readBy(countryOf, 'DE'), 'Instead of the country of `ip`.', 'DE'),
    region: read(readBy(regionOf, 'DE-BE'), 'Instead of the region of `ip`.', 'DE-BE'),
    language: text(128, 'Their `Accept-Language`.', 'de-AT,de;q=0.9'),
    query: z
      .union([
        z.string().max(8_192),
        boundedRecord(
          z.string().max(128),
          z.union([z.string(), boundedList(z.string(), { max: QUERY_MAX })]),
          QUERY_MAX,
        ),
      ])
      .nullable()
      .transform((given) => given ?? undefined)
      .optional()
      .openapi({ description: 'Its query: a text, or values by name.', example: 'a=1&b=2' }),
    path: text(2_048, 'The path after the slug, of a link that matches a prefix.', 'a/b'),
    referrer: text(1_024, 'The page that they come from.', 'https://news.example.com/'),
    ip: read(
      (given) =>
        ipaddr.isValid(given)
          ? given
          : new ValidationIssue('INVALID_VALUE', { example: '192.0.2.7' }),
      'Their address.',
      '192.0.2.7',
    ),
    password: text(1_024, 'The password that they enter, if the link has one.', 'open sesame'),
  })
  .openapi('DescribedVisitor')

/** A union with null: client generators don't support nullable objects. */
const visitor = z.union([VisitorSchema, z.null()]).optional()

/** A described visitor. */
export type DescribedVisitor = z.output<typeof VisitorSchema>

/** The body of a request about a link. */
export const ExplainLinkSchema = z.strictObject({ visitor }).openapi('ExplainLink')

/** The body of a request about an address. */
export const ExplainUrlSchema = z
  .strictObject({
    url: checked(someText.max(8_192), (given) =>
      /^https?:$/.test(URL.parse(given)?.protocol ?? '')
        ? given
        : new ValidationIssue('INVALID_URL'),
    ).openapi({
      description: 'The complete short link.',
      example: 'https://go.example.com/summer-sale?a=1',
    }),
    visitor,
  })
  .openapi('ExplainUrl')

const OUTCOMES = ['redirect', 'page', 'answer'] as const

const StepSchema = z
  .object({
    check: z.string().openapi({
      description:
        'What was checked: `domain`, `slug`, `block`, `enabled`, `starts_at`, `expires_at`, ' +
        '`max_clicks`, `password`, `social`, `rules[0].when.country`, `rules[0]`, `variants`, ' +
        '`destination`, `destination_url`, `path`, `forward_query`, `fallback_url`, ' +
        '`domain_url`, `tracking`, `excluded_networks`, `clicks_per_month`.',
    }),
    passed: z.boolean(),
    expected: z.unknown().optional(),
    actual: z.unknown().optional(),
    message: z.string().openapi({
      description: 'What was checked and why it had this result, in the language of the request.',
    }),
  })
  .openapi('ExplainStep')

export const EXPLANATION_EXAMPLE = {
  outcome: 'redirect' as const,
  status: 302,
  location: 'https://example.com/ios',
  link_id: 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8',
  rule: 'ios',
  variant: null,
  steps: [{ check: 'slug', passed: true, message: 'A link has this address.' }],
}

/** The result of a visit. */
export const ExplanationSchema = z
  .object({
    outcome: z.enum(OUTCOMES).openapi({
      description:
        '`redirect`: the visitor is sent to `location`; `page`: they see a page; `answer`: a ' +
        'rule responds by itself.',
    }),
    status: z.int(),
    location: z.string().nullable(),
    link_id: z.string().nullable(),
    rule: z.string().nullable(),
    variant: z.string().nullable(),
    steps: z
      .array(StepSchema)
      .openapi({ description: 'In order, up to the deciding step, and those after it.' }),
  })
  .openapi('Explanation', { example: EXPLANATION_EXAMPLE })
export type Explanation = z.output<typeof ExplanationSchema>
