import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import {
  boundedList,
  boundedRecord,
  boundedText,
  checked,
  orDefault,
  someText,
} from '../../lib/validation/checked.ts'
import { parseTimestamp } from '../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { Domains } from '../../model/domains/index.ts'
import { BOUNDS } from '../../model/links/values.ts'
import { readFilter } from '../filters.ts'
import { SHOW_DEFAULT, SHOW_NAMES } from './show.ts'

const NAME_MAX = 100
/** The most filters of a share, each with several values. */
export const FILTERS_MAX = 20
const FILTER_VALUES_MAX = 100

export const SHARE_EXAMPLE = {
  id: 'shr_01hzy3v9k2q4r6s8t0v2w4x6y8',
  url: 'https://go.example.com/shared/3f9k2q4r6s8t0v2u4c6e8a1b3d5f7h9j',
  name: 'Summer campaign',
  subject: { tag: 'summer' },
  filters: { country: ['DE', 'AT'] },
  show: ['countries' as const, 'referrers' as const],
  has_password: false,
  expires_at: null,
  views: 42,
  created_at: '2026-05-01T08:00:00.000Z',
  updated_at: '2026-05-01T08:00:00.000Z',
  version: 1,
}

const SUBJECTS = ['link_id', 'tag', 'folder_id', 'workspace'] as const

const subjectShape = {
  link_id: someText.optional().openapi({ description: 'The id of a link.' }),
  tag: someText.optional().openapi({ description: 'The name of a tag, any case.' }),
  folder_id: someText.optional().openapi({ description: 'The id of a folder.' }),
  workspace: z.literal(true).optional(),
}

const SUBJECT = 'Whose clicks are shared: exactly one of the members.'

const subject = checked(z.strictObject(subjectShape), (given) => {
  const [first, second] = SUBJECTS.filter((name) => given[name] !== undefined)
  if (first === undefined) return new ValidationIssue('REQUIRED')
  if (second === undefined) return given
  return new ValidationIssue('CONFLICTING_PARAMETERS', { other: first }).at(second)
}).openapi({ description: SUBJECT, example: { tag: 'summer' } })

/** The subject of a share in requests. */
export type Subject = z.output<typeof subject>

const filterValues = boundedList(z.string(), { max: FILTER_VALUES_MAX, min: 1 })

function filters<V extends z.ZodType<string[] | null>>(values: V, domains: () => Domains) {
  return checked(boundedRecord(z.string(), values, FILTERS_MAX), (given, no) => {
    const faults = Object.entries(given).flatMap(([name, some]) => {
      const filter = readFilter(name, some ?? [], domains(), no)
      if (filter === null) return [new ValidationIssue('UNKNOWN_FIELD').at(name)]
      // The service checks whether links exist.
      return filter.values.flatMap((value, at) =>
        value instanceof ValidationIssue ? value.at(at).at(name) : [],
      )
    })
    return faults.length > 0 ? faults : given
  }).openapi({
    description:
      'Only clicks with one of these values: filters of statistics by the names of their ' +
      'parameters, such as `country` or `not_browser`. Viewers can’t remove them. An update ' +
      'changes the filters it names; null removes one, or all of them.',
    example: { country: ['DE', 'AT'] },
  })
}

const show = checked(boundedList(z.enum(SHOW_NAMES), { max: SHOW_NAMES.length }), (given) => [
  ...new Set(given),
]).openapi({
  description:
    'What is shown besides clicks over time. `links`: the short links, with their titles; ' +
    '`destinations`: where the links lead that are shown. Default: ' +
    `${SHOW_DEFAULT.map((name) => `\`${name}\``).join(', ')}.`,
  example: [...SHOW_DEFAULT],
})

const name = boundedText({ max: NAME_MAX, min: 1 }, (text) => text.trim())
  .nullable()
  .openapi({
    description: 'The heading of the page. Null: the page has none of its own.',
    example: 'Summer campaign',
  })

const password = boundedText({ max: BOUNDS.password, min: 1 }).nullable().openapi({
  description: 'What viewers must enter first; never returned, see `has_password`. Null: nothing.',
  example: 'over the hills',
})

const expiresAt = checked(z.string(), parseTimestamp).nullable().openapi({
  format: 'date-time',
  description: 'When sharing ends; then viewers get 410. Null: never.',
  example: '2026-12-31T23:00:00Z',
})

/** The bodies of requests; filters are checked against this instance's hosts. */
export function createShareSchemas(domains: () => Domains) {
  const changeable = {
    name: name.optional(),
    show: orDefault(show, [...SHOW_DEFAULT]).optional(),
    password: password.optional(),
    expires_at: expiresAt.optional(),
  }
  return {
    create: z
      .strictObject({
        subject,
        filters: orDefault(filters(filterValues, domains), {}).optional(),
        ...changeable,
      })
      .openapi('ShareCreate'),
    patch: z
      .strictObject({
        ...changeable,
        filters: filters(filterValues.nullable(), domains).nullable().optional(),
      })
      .openapi('SharePatch'),
  }
}

export type ShareChange = z.output<ReturnType<typeof createShareSchemas>['patch']>

const time = z.string().openapi({ format: 'date-time', description: 'In UTC.' })

/** A share in responses. */
export const ShareSchema = z
  .object({
    id: z.string().openapi({ description: '`shr_` and 26 characters.' }),
    url: z.string().openapi({ format: 'uri', description: 'Where the statistics can be seen.' }),
    name: z.string().nullable(),
    subject: z.object(subjectShape).openapi({ description: SUBJECT }),
    filters: z.record(z.string(), z.array(z.string())),
    show: z.array(z.enum(SHOW_NAMES)),
    has_password: z.boolean(),
    expires_at: time.nullable(),
    views: z.int().min(0).openapi({ description: 'How often the page was opened.' }),
    created_at: time,
    updated_at: time,
    version: z.int().openapi({ description: 'Increases with every change; also in the ETag.' }),
  })
  .openapi('Share', { example: SHARE_EXAMPLE })

export type Share = z.output<typeof ShareSchema>

export const ShareListSchema = listOf(ShareSchema).openapi('ShareList')

export type ShareList = z.output<typeof ShareListSchema>
