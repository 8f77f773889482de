import { z } from '@hono/zod-openapi'
import type { ErrorDetail } from '../../lib/errors/index.ts'
import { boundedList, boundedRecord } from '../../lib/validation/checked.ts'
import { checkText } from '../../lib/validation/text.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { BOUNDS } from '../../model/links/values.ts'

const FILTERS_MAX = 20
const VALUES_MAX = 100
/** Of all filters, as JSON. */
const CHARACTERS_MAX = 10_000

export const REPORT_EXAMPLE = { filters: { country: ['DE', 'AT'] }, bots: 'exclude' as const }

/** The content of saved filters of the statistics. */
export const reportSchema = z
  .strictObject({
    filters: boundedRecord(
      z.string(),
      boundedList(z.string(), { max: VALUES_MAX, min: 1 }),
      FILTERS_MAX,
    ).default({}),
    bots: z.enum(['exclude', 'include', 'only']).default('exclude'),
  })
  .openapi({
    description:
      'For saved filters of the statistics: the filters by the names of their parameters, such as ' +
      '`country`, `not_browser`, `tag` or `folder_id`, and the kind of traffic. Null: a view of the ' +
      'list of links. Can’t be changed from one to the other.',
    example: REPORT_EXAMPLE,
  })

export type Report = z.output<typeof reportSchema>

/** The checked values of a filter of clicks, with faults in place of wrong ones; null: there is none of this name. */
export type CheckFilter = (
  name: string,
  values: readonly string[],
  workspaceNo: number,
) => readonly unknown[] | null

/** The most values of filters by groups of links, and how each is checked. */
const GROUPS = {
  tag: { max: BOUNDS.tags, check: checkText({ max: BOUNDS.tag, min: 1 }) },
  folder_id: { max: 1, check: checkText({ max: 100, min: 1 }) },
} as const

/** What is wrong with saved filters. Whether their folder exists is checked elsewhere. */
export function reportFaults(
  { filters }: Report,
  workspaceNo: number,
  checkFilter: CheckFilter,
): ErrorDetail[] {
  const all = 'report.filters'
  if (JSON.stringify(filters).length > CHARACTERS_MAX) {
    return [{ field: all, code: 'TOO_LONG', params: { max: CHARACTERS_MAX } }]
  }
  return Object.entries(filters).flatMap(([name, given]): ErrorDetail[] => {
    const field = `${all}.${name}`
    const group = Object.hasOwn(GROUPS, name) ? GROUPS[name as keyof typeof GROUPS] : undefined
    if (group !== undefined && given.length > group.max) {
      return [{ field, code: 'TOO_MANY', params: { max: group.max } }]
    }
    const values = group?.check ? given.map(group.check) : checkFilter(name, given, workspaceNo)
    if (values === null) return [{ field, code: 'UNKNOWN_FIELD' }]
    return values.flatMap((value, at) =>
      value instanceof ValidationIssue ? value.of(`${field}[${at}]`) : [],
    )
  })
}
