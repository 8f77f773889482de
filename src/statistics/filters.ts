import { z } from '@hono/zod-openapi'
import { languageOf } from '../clicks/enrich/language.ts'
import { referrerOf } from '../clicks/enrich/referrer.ts'
import { repeatable } from '../http/index.ts'
import { CLICK_DETAILS } from '../lib/base/click-columns.ts'
import { checked, checkWhole } from '../lib/validation/checked.ts'
import { checkText } from '../lib/validation/text.ts'
import { ValidationIssue } from '../lib/validation/validation-issue.ts'
import type { Domains } from '../model/domains/index.ts'
import { checkDomainFilter, checkKnownDomain } from '../model/links/values.ts'
import { countryOf, regionOf } from '../redirect/rules/values.ts'
import { DIMENSIONS, IN_PARTS, KIND_NAMES, MATCHES, type Match, PREFIXES } from './columns.ts'
import type { Dimension, Filter } from './types.ts'

/** The most values of one filter. */
export const FILTER_VALUES_MAX = 100
const VALUE_LENGTH_MAX = 1_024

type Value = Filter['values'][number]

/** Reads a value in any case. A fault: no click can have it. */
type Check = (
  given: string,
  domains: Domains,
  workspaceNo: number | null,
) => Value | ValidationIssue

const checkLength = checkText({ max: VALUE_LENGTH_MAX })
const checkId = checkText({ max: VALUE_LENGTH_MAX, min: 1 })

/** A text that clicks may lack. `read` returns null for a value that no click can have. */
function text(read: (text: string) => string | null = (same) => same): Check {
  return (given) => {
    if (given === '') return null
    const value = checkLength(given)
    return value instanceof ValidationIssue
      ? value
      : (read(value) ?? new ValidationIssue('INVALID_VALUE'))
  }
}

function oneOf(allowed: readonly string[], { orNone = false } = {}): Check {
  return (given) => {
    if (orNone && given === '') return null
    const value = given.toLowerCase()
    return allowed.includes(value) ? value : new ValidationIssue('INVALID_VALUE', { allowed })
  }
}

/** A host as clicks have it: lower-case ASCII without `www.`. */
function host(given: string): string | null {
  return /[\s/?#@:\\]/.test(given) ? null : referrerOf(`https://${given}/`).host
}

/** `de` for `de-AT`, `zh-Hant` for `zh-TW`. */
const language = (given: string) => (/[,;]/.test(given) ? null : languageOf(given))

const DEVICES = ['desktop', 'mobile', 'tablet', 'tv', 'console', 'wearable', 'bot']

/** What the API reference says of each dimension, an example, and how values of filters are read. */
export const PARAMETERS: Readonly<
  Record<Dimension, readonly [about: string, example: string, Check]>
> = {
  country: ['ISO 3166-1 code of the country', 'DE', text(countryOf)],
  region: ['ISO 3166-2 code of the region', 'DE-BE', text(regionOf)],
  city: ['Name of the city', 'Berlin', text()],
  language: ['The visitor’s first language', 'de', text(language)],
  referrer: [
    'Host of the page that the visitor came from, without `www.`',
    'news.example.com',
    text(host),
  ],
  referrer_path: ['Path of the page that the visitor came from', '/today', text()],
  device: ['Kind of device', 'mobile', oneOf(DEVICES, { orNone: true })],
  browser: ['Name of the browser', 'Firefox', text()],
  os: ['Name of the operating system', 'Android', text()],
  utm_source: ['`utm_source` of the visit', 'newsletter', text()],
  utm_medium: ['`utm_medium` of the visit', 'email', text()],
  utm_campaign: ['`utm_campaign` of the visit', 'summer', text()],
  utm_term: ['`utm_term` of the visit', 'shoes', text()],
  utm_content: ['`utm_content` of the visit', 'header', text()],
  rule: ['Id of the rule that chose the destination', 'ios', text()],
  variant: ['Id of the variant that was chosen', 'a', text()],
  trigger: ['`click`, or `qr` for scans of QR codes', 'qr', oneOf(['click', 'qr'])],
  kind: [
    '`human`, `bot` or `preview`; `bots` is then `include` by default',
    'human',
    oneOf(KIND_NAMES),
  ],
  hour: ['Hour of the day in the time zone, 0–23', '9', checkWhole(23, 0)],
  weekday: ['Day of the week in the time zone, 1 (Monday) to 7', '1', checkWhole(7)],
  domain: ['Short domain that was visited', 'go.example.com', checkKnownDomain],
  link: ['Id of a link', 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8', (id) => checkId(id)],
}

/** Dimensions that a click may have no value of: an empty filter selects these clicks. */
const OPTIONAL: ReadonlySet<string> = new Set(CLICK_DETAILS)

type Name = Exclude<Dimension, 'link'> | 'link_id'
type Parameter = `${(typeof PREFIXES)[Match]}${Name}`

/** The parameter of a filter; null: the dimension's values have no parts. */
export function parameterOf(dimension: Dimension, match: Match): Parameter | null {
  if (match === 'contains' && !IN_PARTS.has(dimension)) return null
  return `${PREFIXES[match]}${dimension === 'link' ? 'link_id' : dimension}`
}

/** A part of a text, in any case. */
const checkPart = checkText({ max: VALUE_LENGTH_MAX, min: 1 })

/** Values of numbers, as a pattern because they are texts. */
const PATTERNS: Partial<Record<Dimension, string>> = {
  hour: '^(1?[0-9]|2[0-3])$',
  weekday: '^[1-7]$',
}

/** What the document says of a value besides its type. */
function boundsOf(dimension: Dimension): object {
  const pattern = PATTERNS[dimension]
  if (pattern !== undefined) return { pattern }
  return OPTIONAL.has(dimension) ? {} : { minLength: 1 }
}

/** The filters of a query: two or three parameters for each dimension. */
export function filterShape(
  domains: () => Domains,
): Record<Parameter, z.ZodType<Value[] | undefined>> {
  const shapes = DIMENSIONS.map((dimension) => {
    const [description, example, check] = PARAMETERS[dimension]
    const checkFilter = dimension === 'domain' ? checkDomainFilter : check
    const value = checked(z.string(), (given, no) => checkFilter(given, domains(), no))
    const part = checked(z.string(), checkPart)
    const name = parameterOf(dimension, 'is')
    const empty = OPTIONAL.has(dimension) ? '; empty: clicks without a value' : ''
    const about: Record<Match, string> = {
      is: `${description}. Repeatable: any of them${empty}.`,
      not: `Excludes the clicks that \`${name}\` selects.`,
      contains: `A part of \`${name}\`, in any case. Repeatable: any of them.`,
    }
    const entries = MATCHES.flatMap((match) => {
      const parameter = parameterOf(dimension, match)
      if (parameter === null) return []
      const isPart = match === 'contains'
      const schema = repeatable(isPart ? part : value, FILTER_VALUES_MAX).openapi({
        param: { description: about[match] },
        type: 'array',
        items: { type: 'string', ...(isPart ? { minLength: 1 } : boundsOf(dimension)) },
        maxItems: FILTER_VALUES_MAX,
        example: [isPart ? example.slice(0, 4) : example],
      })
      return [[parameter, schema] as const]
    })
    return Object.fromEntries(entries)
  })
  return Object.assign({}, ...shapes)
}

/** A filter by the name of its parameter; null: there is no such parameter. */
export function readFilter(
  name: string,
  given: readonly string[],
  domains: Domains,
  workspaceNo: number | null,
): (Pick<Filter, 'dimension' | 'match'> & { values: (Value | ValidationIssue)[] }) | null {
  for (const match of MATCHES) {
    const dimension = DIMENSIONS.find((known) => name === parameterOf(known, match))
    if (dimension === undefined) continue
    const [, , check] = PARAMETERS[dimension]
    const values = given.map((value) =>
      match === 'contains' ? checkPart(value) : check(value, domains, workspaceNo),
    )
    return { dimension, match, values }
  }
  return null
}

/** The filters of a checked query, in the order of the dimensions; links are still ids. */
export function filtersOf(query: Readonly<Record<string, unknown>>): Filter[] {
  return DIMENSIONS.flatMap((dimension) =>
    MATCHES.flatMap((match) => {
      const values = query[parameterOf(dimension, match) ?? ''] as Value[] | undefined
      if (values === undefined || values.length === 0) return []
      return [{ dimension, match, values: [...new Set(values)] }]
    }),
  )
}
