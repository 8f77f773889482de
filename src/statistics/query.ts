import { z } from '@hono/zod-openapi'
import type { Domains } from '../domains/index.ts'
import { repeatable } from '../http/index.ts'
import { BOUNDS } from '../links/rules.ts'
import { checked, checkText } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'
import { type AskedFilter, filterShape, filtersOf } from './filters.ts'
import { INTERVALS, type Interval } from './intervals.ts'
import { type Bound, checkBound, DAYS_DEFAULT } from './range.ts'
import { type BotsMode, DIMENSIONS, type Dimension } from './types.ts'
import { canonicalZone } from './zones.ts'

/** Which clicks a question is about, as it was asked. */
export interface Asked {
  from: Bound | undefined
  to: Bound | undefined
  zone: string
  filters: AskedFilter[]
  tags: string[]
  bots: BotsMode | undefined
}

/** The most values of a top list, and how many without a wish. */
export const TOP_LIMIT_MAX = 1_000
export const TOP_LIMIT_DEFAULT = 10
/** The most clicks on a page, and how many without a wish. */
export const CLICKS_LIMIT_MAX = 100
export const CLICKS_LIMIT_DEFAULT = 25
/** The most links whose sparklines are asked for at once. */
export const SPARKLINES_MAX = 100

/** The dimensions that clicks of one link have: all but the link. */
export const LINK_DIMENSIONS = DIMENSIONS.filter(
  (dimension): dimension is Exclude<Dimension, 'link'> => dimension !== 'link',
)

function whole(max: number) {
  return checked(z.string(), (text) => {
    if (!/^-?\d+$/.test(text)) return new Fault('INVALID_TYPE', { expected: 'integer' })
    const value = Number(text)
    return value < 1 || value > max ? new Fault('OUT_OF_RANGE', { min: 1, max }) : value
  })
}

function limit(max: number, defaultValue: number, of: string) {
  return whole(max)
    .optional()
    .openapi({
      param: { description: `How many ${of} at most.` },
      type: 'integer',
      minimum: 1,
      maximum: max,
      default: defaultValue,
    })
}

function bound(description: string) {
  return checked(z.string(), checkBound)
    .optional()
    .openapi({ param: { description }, type: 'string', example: '2026-05-01' })
}

const BOTS = ['exclude', 'include', 'only'] as const

function bots(whenAbsent: string) {
  return z
    .enum(BOTS)
    .optional()
    .openapi({
      param: {
        description: `Bots and link previews: \`exclude\` them, \`include\` them, or \`only\` them. ${whenAbsent}`,
      },
      type: 'string',
      enum: [...BOTS],
    })
}

const REPORT_RANGE = {
  from: bound(
    `The first moment: RFC 3339, or a date, which begins at midnight of the time zone. Default: so that the range covers ${DAYS_DEFAULT} days, the last one included.`,
  ),
  to: bound(
    'The end: an RFC 3339 time, up to which clicks count; or a date, the last day that counts. Default: now.',
  ),
}

const LIST_RANGE = {
  from: bound(
    'Clicks from then on: RFC 3339, or a date, which begins at midnight of the time zone.',
  ),
  to: bound('Clicks before an RFC 3339 time, or up to the end of a date.'),
}

const timezone = {
  timezone: checked(
    z.string(),
    (name) => canonicalZone(name.replaceAll(' ', '+')) ?? new Fault('INVALID_TIMEZONE'),
  )
    .optional()
    .openapi({
      param: {
        description:
          'IANA name of the time zone, any case, whose midnights, hours and weekdays are meant.',
      },
      type: 'string',
      default: 'UTC',
      example: 'Europe/Berlin',
    }),
}

const tag = {
  tag: repeatable(checked(z.string(), checkText({ max: BOUNDS.tag, min: 1 })), BOUNDS.tags).openapi(
    {
      param: {
        description: 'Clicks on links with this tag, any case; repeated, with all of them.',
      },
      type: 'array',
      items: { type: 'string' },
      maxItems: BOUNDS.tags,
      example: ['newsletter'],
    },
  ),
}

const cursor = {
  cursor: z
    .string()
    .optional()
    .openapi({ param: { description: 'From `next_cursor` of the same list.' }, minLength: 1 }),
}

const interval = {
  interval: z
    .enum(INTERVALS)
    .optional()
    .openapi({
      param: {
        description:
          'How long a bucket is. Weeks begin on Mondays. Default: hours for up to 2 days, days for up to 100, weeks for up to 750, else months.',
      },
      type: 'string',
      enum: [...INTERVALS],
    }),
}

const EXCLUDED = 'Default: `exclude`; `bots` in the answer says how many there are.'
const INCLUDED = 'Default: `include`; `kind` says which is which.'

/**
 * The schemas of all queries, for the clicks of one link and of a workspace: made once, because so many
 * take a tenth of the time that a server takes to start. `domains` is only asked when there is something to check.
 */
export function createQuerySchemas(domains: () => Domains) {
  const { link, '-link': notLink, ...ofLinks } = filterShape(domains)
  return {
    link: schemasOf(ofLinks),
    workspace: schemasOf({ ...tag, ...ofLinks, link, '-link': notLink }),
  }
}

/** Made by {@link createQuerySchemas}. */
export type QuerySchemas = ReturnType<typeof createQuerySchemas>

/** `which` clicks; what stands before differs from question to question. */
function schemasOf(which: z.ZodRawShape) {
  const report = { ...REPORT_RANGE, ...timezone, bots: bots(EXCLUDED), ...which }
  const list = { ...LIST_RANGE, ...timezone, bots: bots(INCLUDED), ...which }
  return {
    stats: z.object({ ...interval, ...report }),
    top: z.object({ limit: limit(TOP_LIMIT_MAX, TOP_LIMIT_DEFAULT, 'values'), ...report }),
    clicks: z.object({
      limit: limit(CLICKS_LIMIT_MAX, CLICKS_LIMIT_DEFAULT, 'clicks a page has'),
      ...cursor,
      ...list,
    }),
    export: z.object(list),
    stream: z.object({
      last_event_id: z
        .string()
        .optional()
        .openapi({
          param: { description: 'The same as the header `Last-Event-ID`, which wins.' },
          example: '1790000000000-0',
        }),
      ...timezone,
      bots: bots(INCLUDED),
      ...which,
    }),
  }
}

/** A checked query; the parameters of filters are too many to be named. */
export type CheckedQuery = {
  from?: Bound | undefined
  to?: Bound | undefined
  timezone?: string | undefined
  interval?: Interval | undefined
  bots?: BotsMode | undefined
  tag?: string[] | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** What a checked query asks for. */
export function askedOf(query: CheckedQuery): Asked {
  return {
    from: query.from,
    to: query.to,
    zone: query.timezone ?? 'UTC',
    filters: filtersOf(query),
    tags: query.tag ?? [],
    bots: query.bots,
  }
}
