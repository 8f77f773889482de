import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { boundedList, boundedText, checked } from '../../lib/validation/checked.ts'
import { compose } from '../../lib/validation/text.ts'
import { BOUNDS } from '../../model/links/values.ts'
import { checkCreator } from '../links/creator.ts'
import { SORTS } from '../links/page.ts'
import { STATUSES } from '../links/row.ts'
import { reportSchema } from './report.ts'

/** The most own views of a person in a workspace, and the most shared views of a workspace. */
export const VIEWS_MAX = 50
/** Columns of the dashboard's table that can be hidden. */
export const COLUMNS = ['tags', 'days', 'clicks', 'creator', 'created'] as const
const NAME_MAX = 50
const ID_MAX = 100
const HOST_MAX = 255

/** A filter without conditions. */
export const NO_FILTER = {
  search: null,
  tag: null,
  any_tag: null,
  tagged: null,
  has_rules: null,
  has_password: null,
  clicked: null,
  folder_id: null,
  archived: null,
  domain: null,
  status: null,
  created_by: null,
  created_after: null,
  created_before: null,
}

export const VIEW_EXAMPLE = {
  id: 'viw_01hzy3v9k2q4r6s8t0v2w4x6y8',
  name: 'Spring, by clicks',
  shared: false,
  editable: true,
  filter: { ...NO_FILTER, tag: ['spring'] },
  sort: 'clicks' as const,
  order: 'desc' as const,
  hidden_columns: ['created' as const],
  report: null,
  created_at: '2026-05-01T08:00:00.000Z',
  updated_at: '2026-05-01T08:00:00.000Z',
  version: 1,
}

const text = (max: number) => boundedText({ max, min: 1 })
const day = z.iso.date()
/** `me` is the person who looks. */
const creator = checked(z.string(), checkCreator)

/** The filter of a view, named like the list's parameters; days are in the viewer's zone. */
const filter = z
  .strictObject({
    search: text(BOUNDS.search).nullable().default(null),
    tag: boundedList(text(BOUNDS.tag), { max: BOUNDS.tags }).nullable().default(null),
    any_tag: boundedList(text(BOUNDS.tag), { max: BOUNDS.tags }).nullable().default(null),
    tagged: z.boolean().nullable().default(null),
    has_rules: z.boolean().nullable().default(null),
    has_password: z.boolean().nullable().default(null),
    clicked: z.boolean().nullable().default(null),
    folder_id: text(ID_MAX).nullable().default(null),
    archived: z.enum(['true', 'any']).nullable().default(null),
    domain: text(HOST_MAX).nullable().default(null),
    status: z.enum(STATUSES).nullable().default(null),
    created_by: creator.nullable().default(null),
    created_after: day.nullable().default(null),
    created_before: day.nullable().default(null),
  })
  .openapi({
    description:
      'Filters of the list of links; null or absent: any. Days are those of the viewer’s time zone.',
  })

const name = boundedText({ max: NAME_MAX, min: 1 }, (given) => compose(given).trim())

const shared = z.boolean().openapi({ description: 'Whether all members see it.' })
const columns = boundedList(z.enum(COLUMNS), { max: COLUMNS.length })

/** The content of a view. */
const shows = {
  filter,
  sort: z.enum(SORTS),
  order: z.enum(['asc', 'desc']),
  hidden_columns: columns.openapi({ description: 'Columns of the table that are left out.' }),
  report: reportSchema.nullable(),
}

/** A view in responses. */
export const ViewSchema = z
  .object({
    id: z.string().openapi({ description: '`viw_` and 26 characters.' }),
    name: z.string(),
    shared,
    editable: z.boolean().openapi({ description: 'Whether the caller may change and delete it.' }),
    ...shows,
    created_at: z.string().openapi({ format: 'date-time' }),
    updated_at: z.string().openapi({ format: 'date-time' }),
    version: z.int().openapi({ description: 'Increases with every change; also in the ETag.' }),
  })
  .openapi('View', { example: VIEW_EXAMPLE })

export type View = z.output<typeof ViewSchema>

export const ViewListSchema = listOf(ViewSchema).openapi('ViewList')

export const ViewCreateSchema = z
  .strictObject({
    name,
    shared: shared.default(false),
    filter: filter.default(NO_FILTER),
    sort: shows.sort.default('created_at'),
    order: shows.order.default('desc'),
    hidden_columns: columns.default([]),
    report: shows.report.default(null),
  })
  .openapi('ViewCreate')

export const ViewPatchSchema = z
  .strictObject({
    name: name.optional(),
    shared: shared.optional(),
    filter: filter.optional(),
    sort: shows.sort.optional(),
    order: shows.order.optional(),
    hidden_columns: columns.optional(),
    report: shows.report.optional(),
  })
  .openapi('ViewPatch')

export type ViewCreate = z.output<typeof ViewCreateSchema>
export type ViewPatch = z.output<typeof ViewPatchSchema>
