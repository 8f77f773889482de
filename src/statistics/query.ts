import { z } from '@hono/zod-openapi'
import { repeatable } from '../http/index.ts'
import { pageParameters } from '../http/page.ts'
import { checked, whole } from '../lib/validation/checked.ts'
import { checkText } from '../lib/validation/text.ts'
import { ValidationIssue } from '../lib/validation/validation-issue.ts'
import { canonicalZone } from '../lib/validation/zone.ts'
import type { Domains } from '../model/domains/index.ts'
import { BOUNDS } from '../model/links/values.ts'
import { BOTS_MODES } from './columns.ts'
import { filterShape, filtersOf } from './filters.ts'
import { INTERVALS, type Interval } from './intervals.ts'
import { type Bound, type Bounds, checkBound, DAYS_DEFAULT } from './range.ts'
import type { BotsMode, Filter } from './types.ts'

/** The clicks that a request asks for. */
export interface ClicksQuery extends Bounds {
  /** Links are still ids. */
  filters: Filter[]
  tags: string[]
  /** The id of a folder. */
  folder?: string | undefined
  bots: BotsMode | undefined
}

/** The most values of a top list, and the default. */
const TOP_LIMIT = { max: 1_000, default: 10 }
/** All countries are fewer. */
const SHARED_TOP_LIMIT = { max: 300, default: 10 }

function limit({ max, default: byDefault }: typeof TOP_LIMIT, of: string) {
  return whole(max)
    .default(byDefault)
    .openapi({
      param: { description: `The most ${of}.` },
      type: 'integer',
      minimum: 1,
      maximum: max,
      default: byDefault,
    })
}

function bound(description: string) {
  return checked(z.string(), checkBound)
    .optional()
    .openapi({ param: { description }, type: 'string', minLength: 1, example: '2026-05-01' })
}

const REPORT_RANGE = {
  from: bound(
    `The beginning: RFC 3339, or a date, which begins at midnight of the time zone. Default: ${DAYS_DEFAULT} days, the last one included.`,
  ),
  to: bound(
    'The end: an RFC 3339 time, itself not included, or a date, which is included. Default: now.',
  ),
}

const LIST_RANGE = {
  from: bound(
    'Clicks from then on: RFC 3339, or a date, which begins at midnight of the time zone.',
  ),
  to: bound('Clicks before an RFC 3339 time, or up to the end of a date.'),
}

/** What every question has. */
const COMMON = {
  timezone: checked(
    z.string(),
    (name) => canonicalZone(name.replaceAll(' ', '+')) ?? new ValidationIssue('INVALID_TIMEZONE'),
  )
    .default('UTC')
    .openapi({
      param: {
        description:
          'IANA name of the time zone, in any case. Dates, hours and weekdays are those of the zone.',
      },
      type: 'string',
      minLength: 1,
      default: 'UTC',
      example: 'Europe/Berlin',
    }),
  bots: z
    .enum(BOTS_MODES)
    .optional()
    .openapi({
      param: {
        description:
          'Bots and link previews: `exclude` them, `include` them, or `only` them. Default: `exclude`, or `include` with a filter by `kind`.',
      },
    }),
}

const tag = repeatable(
  checked(z.string(), checkText({ max: BOUNDS.tag, min: 1 })),
  BOUNDS.tags,
).openapi({
  param: {
    description: 'Clicks on links with this tag, in any case. Repeatable: with all of them.',
  },
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: BOUNDS.tag },
  maxItems: BOUNDS.tags,
  example: ['newsletter'],
})

const folder_id = z
  .string()
  .optional()
  .openapi({
    param: { description: 'Clicks on links in the folder with this id.' },
    example: 'fld_01hzy3v9k2q4r6s8t0v2w4x6y8',
  })

const interval = z
  .enum(INTERVALS)
  .optional()
  .openapi({
    param: {
      description:
        'The length of a bucket. Weeks begin on Monday. Default: hours for up to 2 days, days for up to 100, weeks for up to 750, else months.',
    },
  })

const raw = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true')
  .openapi({
    param: {
      description:
        'Whether values are left as they are, without the apostrophe that keeps spreadsheets from running formulas.',
    },
    type: 'boolean',
    default: false,
  })

const lastEventId = z
  .string()
  .optional()
  .openapi({
    param: { description: 'Like the header `Last-Event-ID`, which takes precedence.' },
    example: '1790000000000-0',
  })

/**
 * The query schemas for the clicks of one link and of a workspace. They are built once, because
 * building them takes a tenth of the server's start. `domains` is called when a value is checked.
 */
export function createQuerySchemas(domains: () => Domains) {
  const { link_id, not_link_id, ...shared } = filterShape(domains)
  return {
    link: schemasOf(shared),
    workspace: schemasOf({ tag, folder_id, ...shared, link_id, not_link_id }),
  }
}

/** The query schemas for shared statistics: people are counted, and bots beside them. */
export function createSharedQuerySchemas(domains: () => Domains) {
  const { bots, ...zone } = COMMON
  const { link_id, not_link_id, kind, not_kind, ...filters } = filterShape(domains)
  const common = { ...REPORT_RANGE, ...zone, ...filters }
  return {
    stats: z.object({ interval, ...common }),
    top: z.object({ limit: limit(SHARED_TOP_LIMIT, 'values'), ...common }),
  }
}
export type QuerySchemas = ReturnType<typeof createQuerySchemas>

/** `filters` come last in the reference. */
function schemasOf(filters: z.ZodRawShape) {
  const report = { ...REPORT_RANGE, ...COMMON, ...filters }
  const list = { ...LIST_RANGE, ...COMMON, ...filters }
  return {
    stats: z.object({ interval, ...report }),
    top: z.object({ limit: limit(TOP_LIMIT, 'values'), ...report }),
    clicks: z.object({ ...pageParameters, ...list }),
    export: z.object(list),
    csv: z.object({ raw, ...list }),
    stream: z.object({ last_event_id: lastEventId, ...COMMON, ...filters }),
  }
}

/** A checked query; the filters are read by {@link clicksQueryOf}. */
export interface CheckedQuery {
  from?: Bound | undefined
  to?: Bound | undefined
  timezone: string
  interval?: Interval | undefined
  bots?: BotsMode | undefined
  tag?: string[] | undefined
  folder_id?: string | undefined
  limit: number
  cursor?: string | undefined
  raw?: boolean
  last_event_id?: string | undefined
}

/** The clicks that a checked query asks for. */
export function clicksQueryOf(query: CheckedQuery): ClicksQuery {
  const { from, to, timezone, tag = [], folder_id: folder, bots } = query
  return { from, to, zone: timezone, filters: filtersOf({ ...query }), tags: tag, folder, bots }
}
