import { z } from '@hono/zod-openapi'
import { languageOf } from '../clicks/enrich/language.ts'
import { referrerOf } from '../clicks/enrich/referrer.ts'
import { repeatable } from '../http/index.ts'
import { CLICK_DETAILS } from '../lib/base/click-columns.ts'
import { checked, checkWhole } from '../lib/validation/checked.ts'
import { Fault } from '../lib/validation/fault.ts'
import { checkText } from '../lib/validation/text.ts'
import type { Domains } from '../model/domains/index.ts'
import { checkDomainFilter, checkKnownDomain } from '../model/links/values.ts'
import { countryOf, regionOf } from '../redirect/rules/values.ts'
import { DIMENSIONS, KIND_NAMES } from './columns.ts'
import type { Dimension, Filter } from './types.ts'

/** The most values of one filter. */
export const FILTER_VALUES_MAX = 100
const VALUE_LENGTH_MAX = 1_024

type Value = Filter['values'][number]

/** Reads a value in any case. A fault: no click can have it. */
type Check = (given: string, domains: Domains) => Value | Fault

const checkLength = checkText({ max: VALUE_LENGTH_MAX })

/** A text that clicks may lack. `read` returns null for a value that no click can have. */
function text(read: (text: string) => string | null = (same) => same): Check {
  return (given) => {
    if (given === '') return null
    const value = checkLength(given)
    return value instanceof Fault ? value : (read(value) ?? new Fault('INVALID_VALUE'))
  }
}

function oneOf(allowed: readonly string[], { orNone = false } = {}): Check {
  return (given) => {
    if (orNone && given === '') return null
    const value = given.toLowerCase()
    return allowed.includes(value) ? value : new Fault('INVALID_VALUE', { allowed })
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
  link: ['Id of a link', 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8', (id) => checkLength(id)],
}

/** Dimensions that a click may have no value of: an empty filter selects these clicks. */
const OPTIONAL: ReadonlySet<string> = new Set(CLICK_DETAILS)

type Name = Exclude<Dimension, 'link'> | 'link_id'

/** The parameter that selects the values of a dimension. */
const parameterOf = (dimension: Dimension): Name => (dimension === 'link' ? 'link_id' : dimension)

/** The parameter that excludes what another one selects. */
const negated = <N extends Name>(name: N) => `not_${name}` as const

type Parameter = Name | ReturnType<typeof negated<Name>>

/** The filters of a query: two parameters for each dimension. */
export function filterShape(
  domains: () => Domains,
): Record<Parameter, z.ZodType<Value[] | undefined>> {
  const shapes = DIMENSIONS.map((dimension) => {
    const [description, example, check] = PARAMETERS[dimension]
    const checkFilter = dimension === 'domain' ? checkDomainFilter : check
    const value = checked(z.string(), (given) => checkFilter(given, domains()))
    const name = parameterOf(dimension)
    const empty = OPTIONAL.has(dimension) ? '; empty: clicks without a value' : ''
    const parameter = (about: string) =>
      repeatable(value, FILTER_VALUES_MAX).openapi({
        param: { description: about },
        type: 'array',
        items: { type: 'string' },
        maxItems: FILTER_VALUES_MAX,
        example: [example],
      })
    return {
      [name]: parameter(`${description}. Repeatable: any of them${empty}.`),
      [negated(name)]: parameter(`Excludes the clicks that \`${name}\` selects.`),
    }
  })
  return Object.assign({}, ...shapes)
}

/** A filter by the name of its parameter; null: there is no such parameter. */
export function readFilter(
  name: string,
  given: readonly string[],
  domains: Domains,
): { dimension: Dimension; exclude: boolean; values: (Value | Fault)[] } | null {
  const exclude = name.startsWith('not_')
  const dimension = DIMENSIONS.find((known) => {
    const parameter = parameterOf(known)
    return name === (exclude ? negated(parameter) : parameter)
  })
  if (dimension === undefined) return null
  const [, , check] = PARAMETERS[dimension]
  return { dimension, exclude, values: given.map((value) => check(value, domains)) }
}

/** The filters of a checked query, in the order of the dimensions; links are still ids. */
export function filtersOf(query: Readonly<Record<string, unknown>>): Filter[] {
  return DIMENSIONS.flatMap((dimension) =>
    [false, true].flatMap((exclude) => {
      const name = parameterOf(dimension)
      const values = query[exclude ? negated(name) : name] as Value[] | undefined
      if (values === undefined || values.length === 0) return []
      return [{ dimension, values: [...new Set(values)], exclude }]
    }),
  )
}
