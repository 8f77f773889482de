import { z } from '@hono/zod-openapi'
import type { Domains } from '../domains/index.ts'
import { repeatable } from '../http/index.ts'
import { checkDomain } from '../links/rules.ts'
import { checked, checkText } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'
import { DIMENSIONS, KIND_NAMES } from './columns.ts'
import { languageOf } from './enrich/language.ts'
import { referrerOf } from './enrich/referrer.ts'
import type { Dimension, Filter } from './types.ts'

/** The most values of one filter. */
export const FILTER_VALUES_MAX = 100
const VALUE_LENGTH_MAX = 1_024

type Value = Filter['values'][number]

/** A filter as requested: links are still ids. */
export interface RequestedFilter extends Filter {
  values: Value[]
}

/** Reads a value in any case. A fault: no click can have it. */
type Check = (given: string, domains: Domains) => Value | Fault

interface Parameter {
  /** What the API reference says. */
  description: string
  example: string
  check: Check
  /** Every click has a value, so that an empty one is no filter. */
  required?: true
}

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

/** A whole number, as a query has it. */
export function wholeNumber(min: number, max: number) {
  return (given: string): number | Fault => {
    if (!/^-?\d+$/.test(given)) return new Fault('INVALID_TYPE', { expected: 'integer' })
    const value = Number(given)
    return value < min || value > max ? new Fault('OUT_OF_RANGE', { min, max }) : value
  }
}

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

function country(given: string): string | null {
  const code = given.toUpperCase()
  return /^[A-Z]{2}$/.test(code) && countryNames.of(code) !== undefined ? code : null
}

function region(given: string): string | null {
  const code = given.toUpperCase()
  return /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code) && country(code.slice(0, 2)) !== null ? code : null
}

/** A host as clicks have it: lower-case ASCII without `www.`. */
function host(given: string): string | null {
  return /[\s/?#@:\\]/.test(given) ? null : referrerOf(`https://${given}/`).host
}

/** `de` for `de-AT`, `zh-Hant` for `zh-TW`. */
const language = (given: string) => (/[,;]/.test(given) ? null : languageOf(given))

const DEVICES = ['desktop', 'mobile', 'tablet', 'tv', 'console', 'wearable', 'bot']

const PARAMETERS: Readonly<Record<Dimension, Parameter>> = {
  country: { description: 'ISO 3166-1 code of the country', example: 'DE', check: text(country) },
  region: { description: 'ISO 3166-2 code of the region', example: 'DE-BE', check: text(region) },
  city: { description: 'Name of the city', example: 'Berlin', check: text() },
  language: {
    description: 'The visitor’s first language',
    example: 'de',
    check: text(language),
  },
  referrer: {
    description: 'Host of the page that the visitor came from, without `www.`',
    example: 'news.example.com',
    check: text(host),
  },
  referrer_path: {
    description: 'Path of the page that the visitor came from',
    example: '/today',
    check: text(),
  },
  device: {
    description: 'Kind of device',
    example: 'mobile',
    check: oneOf(DEVICES, { orNone: true }),
  },
  browser: { description: 'Name of the browser', example: 'Firefox', check: text() },
  os: { description: 'Name of the operating system', example: 'Android', check: text() },
  utm_source: { description: '`utm_source` of the visit', example: 'newsletter', check: text() },
  utm_medium: { description: '`utm_medium` of the visit', example: 'email', check: text() },
  utm_campaign: { description: '`utm_campaign` of the visit', example: 'summer', check: text() },
  utm_term: { description: '`utm_term` of the visit', example: 'shoes', check: text() },
  utm_content: { description: '`utm_content` of the visit', example: 'header', check: text() },
  trigger: {
    description: '`click`, or `qr` for scans of QR codes',
    example: 'qr',
    check: oneOf(['click', 'qr']),
    required: true,
  },
  kind: {
    description: '`human`, `bot` or `preview`; `bots` is then `include` by default',
    example: 'human',
    check: oneOf(KIND_NAMES),
    required: true,
  },
  hour: {
    description: 'Hour of the day in the time zone, 0–23',
    example: '9',
    check: wholeNumber(0, 23),
    required: true,
  },
  weekday: {
    description: 'Day of the week in the time zone, 1 (Monday) to 7',
    example: '1',
    check: wholeNumber(1, 7),
    required: true,
  },
  domain: {
    description: 'Short domain that was visited',
    example: 'go.example.com',
    check: checkDomain,
    required: true,
  },
  link: {
    description: 'Id of a link',
    example: 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8',
    check: (id) => checkLength(id),
    required: true,
  },
}

/** The parameter that excludes the values of a dimension. */
const negated = <D extends Dimension>(dimension: D) => `not_${dimension}` as const

type Name = Dimension | ReturnType<typeof negated<Dimension>>

/** The filters of a query: two parameters for each dimension. */
export function filterShape(domains: () => Domains): Record<Name, z.ZodType<Value[] | undefined>> {
  const shapes = DIMENSIONS.map((dimension) => {
    const { description, example, check, required } = PARAMETERS[dimension]
    const value = checked(z.string(), (given) => check(given, domains()))
    const empty = required ? '' : '; empty: clicks without a value'
    const parameter = (about: string) =>
      repeatable(value, FILTER_VALUES_MAX).openapi({
        param: { description: about },
        type: 'array',
        items: { type: 'string' },
        maxItems: FILTER_VALUES_MAX,
        example: [example],
      })
    return {
      [dimension]: parameter(`${description}. Repeatable: any of them${empty}.`),
      [negated(dimension)]: parameter(`Excludes the clicks that \`${dimension}\` selects.`),
    }
  })
  return Object.assign({}, ...shapes)
}

/** The filters of a checked query, in the order of the dimensions. */
export function filtersOf(query: Readonly<Record<string, unknown>>): RequestedFilter[] {
  return DIMENSIONS.flatMap((dimension) =>
    [false, true].flatMap((exclude) => {
      const values = query[exclude ? negated(dimension) : dimension] as Value[] | undefined
      if (values === undefined || values.length === 0) return []
      return [{ dimension, values: [...new Set(values)], exclude }]
    }),
  )
}
