import { z } from '@hono/zod-openapi'
import type { Domains } from '../domains/index.ts'
import { repeatable } from '../http/index.ts'
import { checkDomain } from '../links/rules.ts'
import { checked, checkText } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'
import { languageOf } from './enrich/language.ts'
import { DIMENSIONS, type Dimension } from './types.ts'

/** The most values that one filter may have. */
export const FILTER_VALUES_MAX = 100
const VALUE_LENGTH_MAX = 1_024

/** What a filter compares with; null: clicks without a value. Links still by their id. */
export type FilterValue = string | number | null

/** A filter as it was asked for: its links are not looked up yet. */
export interface AskedFilter {
  dimension: Dimension
  values: FilterValue[]
  exclude: boolean
}

interface DimensionQuery {
  /** What the reference says of the filter. */
  description: string
  example: string
  check: (text: string, domains: Domains) => FilterValue | Fault
}

const checkLength = checkText({ max: VALUE_LENGTH_MAX })

function text(spell: (text: string) => string = (same) => same) {
  return (given: string): FilterValue | Fault => {
    if (given === '') return null
    const checkedText = checkLength(given)
    return checkedText instanceof Fault ? checkedText : spell(checkedText)
  }
}

function oneOf(...allowed: string[]) {
  return (given: string) =>
    allowed.includes(given) ? given : new Fault('INVALID_VALUE', { allowed })
}

function whole(min: number, max: number) {
  return (given: string): number | Fault => {
    if (!/^-?\d{1,15}$/.test(given)) return new Fault('INVALID_TYPE', { expected: 'integer' })
    const value = Number(given)
    return value < min || value > max ? new Fault('OUT_OF_RANGE', { min, max }) : value
  }
}

const upper = text((value) => value.toUpperCase())
const lower = text((value) => value.toLowerCase())
const host = text((value) => value.toLowerCase().replace(/^www\./, ''))
/** As languages are stored: `de` for `de-AT`, `zh-Hant` for `zh-TW`. */
const language = text((value) => languageOf(value) ?? value)

const QUERIES: Readonly<Record<Dimension, DimensionQuery>> = {
  country: { description: 'ISO 3166-1 code of the country', example: 'DE', check: upper },
  region: { description: 'ISO 3166-2 code of the region', example: 'DE-BE', check: upper },
  city: { description: 'Name of the city', example: 'Berlin', check: text() },
  language: {
    description: 'The visitor’s first language',
    example: 'de',
    check: language,
  },
  referrer: {
    description: 'Host of the page that the visitor came from, without `www.`',
    example: 'news.example.com',
    check: host,
  },
  referrer_path: {
    description: 'Path of the page that the visitor came from',
    example: '/today',
    check: text(),
  },
  device: { description: 'Kind of device', example: 'mobile', check: lower },
  browser: { description: 'Name of the browser', example: 'Firefox', check: text() },
  os: { description: 'Name of the operating system', example: 'Android', check: text() },
  utm_source: { description: '`utm_source` of the visit', example: 'newsletter', check: text() },
  utm_medium: { description: '`utm_medium` of the visit', example: 'email', check: text() },
  utm_campaign: { description: '`utm_campaign` of the visit', example: 'summer', check: text() },
  utm_term: { description: '`utm_term` of the visit', example: 'shoes', check: text() },
  utm_content: { description: '`utm_content` of the visit', example: 'header', check: text() },
  trigger: {
    description: '`click`, or `qr` for scans of our QR codes',
    example: 'qr',
    check: oneOf('click', 'qr'),
  },
  kind: {
    description: '`person`, `bot` or `preview`; with it `bots` is `include` unless it is given',
    example: 'person',
    check: oneOf('person', 'bot', 'preview'),
  },
  hour: {
    description: 'Hour of the day in the time zone, 0–23',
    example: '9',
    check: whole(0, 23),
  },
  weekday: {
    description: 'Day of the week in the time zone, 1 (Monday) to 7',
    example: '1',
    check: whole(1, 7),
  },
  domain: {
    description: 'Short domain that was visited',
    example: 'go.example.com',
    check: checkDomain,
  },
  link: {
    description: 'Id of a link',
    example: 'lnk_01hzy3v9k2q4r6s8t0v2w4x6y8',
    check: (id) => checkLength(id),
  },
}

/** What is stored of a click and may be missing: an empty value asks for those. */
const NEVER_NULL: ReadonlySet<Dimension> = new Set([
  'trigger',
  'kind',
  'hour',
  'weekday',
  'domain',
  'link',
])

type Name = Dimension | `-${Dimension}`
type Values = z.ZodType<FilterValue[] | undefined>

/** The filters of a query: a parameter for every dimension, and one with `-` before it. */
export function filterShape(domains: () => Domains): Record<Name, Values> {
  const shapes = DIMENSIONS.map((dimension) => {
    const { description, example, check } = QUERIES[dimension]
    const value = checked(z.string(), (given) => check(given, domains()))
    const empty = NEVER_NULL.has(dimension) ? '' : '; empty: clicks without one'
    const parameter = (what: string) =>
      repeatable(value, FILTER_VALUES_MAX).openapi({
        param: { description: what },
        type: 'array',
        items: { type: 'string' },
        maxItems: FILTER_VALUES_MAX,
        example: [example],
      })
    return {
      [dimension]: parameter(`${description}. Repeatable: one of them${empty}.`),
      [`-${dimension}`]: parameter(`Without the clicks that \`${dimension}\` would ask for.`),
    }
  })
  return Object.assign({}, ...shapes)
}

/** The filters in a checked query, in the order of the dimensions. */
export function filtersOf(query: Readonly<Record<string, unknown>>): AskedFilter[] {
  return DIMENSIONS.flatMap((dimension) =>
    [false, true].flatMap((exclude) => {
      const values = query[exclude ? `-${dimension}` : dimension] as FilterValue[] | undefined
      if (values === undefined || values.length === 0) return []
      return [{ dimension, values: [...new Set(values)], exclude }]
    }),
  )
}
