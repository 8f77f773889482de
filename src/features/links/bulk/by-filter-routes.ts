import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../../http/index.ts'
import { describeError } from '../../../lib/errors/index.ts'
import { checkWith } from '../../../lib/validation/checked.ts'
import { ValidationIssue } from '../../../lib/validation/validation-issue.ts'
import { writerOf } from '../../audit/index.ts'
import { JOB_EXAMPLE, JOBS_PATH, JobSchema, renderJob } from '../../jobs/index.ts'
import { tagList } from '../field-types.ts'
import { createLinkSchemas, type LinkRules } from '../fields.ts'
import { createFilterSchema } from '../list-query.ts'
import { LINK_READ_ONLY } from '../read-only.ts'
import type { LinkService } from '../service.ts'
import type { FilterJobs } from './job.ts'
import { OPERATIONS_MAX, requestsFor } from './schemas.ts'

/** Fields that are unique to a link, so they can't be set for many. */
const OF_ONE = ['slug', 'aliases', 'external_id'] as const
/** Not together with `delete`. */
const TAG_CHANGES = ['add_tags', 'remove_tags'] as const
const CHANGES = ['patch', ...TAG_CHANGES] as const

function createBody(rules: LinkRules) {
  const tags = (description: string) => tagList.optional().openapi({ description })
  const { patch } = createLinkSchemas(rules)
  return z
    .strictObject({
      filter: createFilterSchema(rules).openapi({
        type: 'object',
        description:
          'Which links: the filters of `GET /links` by their names, in one object. Empty: all.',
        example: { tag: ['newsletter'], status: 'active' },
      }),
      patch: patch.optional().openapi({
        allOf: [{ $ref: '#/components/schemas/LinkPatch' }],
        description: 'The fields to change in each link; not `slug`, `aliases` or `external_id`.',
      } as never),
      add_tags: tags('Tags to add to each link.'),
      remove_tags: tags('Tags to remove from each link.'),
      delete: z.literal(true).optional().openapi({ description: 'Deletes the links.' }),
      expected: z
        .int()
        .min(0)
        .openapi({
          description:
            'How many links you expect the filter to match, `pagination.total` of the list. If the ' +
            'number differs by more than 1 %, nothing is changed: COUNT_CHANGED.',
        }),
    })
    .check(
      checkWith((body) => {
        const faults = OF_ONE.filter((field) => body.patch?.[field] !== undefined).map(
          (field) => new ValidationIssue('UNKNOWN_FIELD', undefined, ['patch', field]),
        )
        const changes = CHANGES.filter((name) => body[name] !== undefined)
        const { patch = {} } = body
        for (const name of TAG_CHANGES) {
          const isTwice = [patch.tags, patch.add_tags, patch.remove_tags].some(Boolean)
          if (body[name] === undefined || !isTwice) continue
          faults.push(new ValidationIssue('CONFLICTING_PARAMETERS', { other: 'patch' }).at(name))
        }
        if (body.delete === undefined) {
          return changes.length === 0 ? [new ValidationIssue('REQUIRED').at('patch')] : faults
        }
        const conflict = new ValidationIssue('CONFLICTING_PARAMETERS', { other: 'delete' })
        return [...faults, ...changes.map((name) => conflict.at(name))]
      }),
    )
    .openapi('LinkBulkByFilter')
}

const EXAMPLE = {
  filter: { tag: ['newsletter'] },
  patch: { expires_at: '2030-01-31T21:00:00Z' },
  expected: 12408,
}

/** The endpoints that change all links that match a filter, and undo that. */
export function registerByFilterRoutes(
  api: Pick<Api, 'add'>,
  { links, filterJobs }: { links: LinkService; filterJobs: FilterJobs },
): void {
  endpoint(api, {
    method: 'post',
    path: '/api/v1/links/bulk/by-filter',
    scope: 'links:write',
    dryRun: true,
    operationId: 'changeLinksByFilter',
    tag: 'Links',
    summary: 'Update links by filter',
    description:
      'Starts a job that changes each link independently. Its `result` is `{"succeeded", "failed", ' +
      '"errors"}`, with the first hundred links that were refused. Links created later aren’t ' +
      'changed. A dry run checks the first 1,000 links, or fewer if they have more than 16 MiB ' +
      'together; its `result` has messages, too. It counts as one request towards the rate limit for ' +
      'every 100 links, rounded up.',
    body: createBody(links.rules),
    readOnly: [...LINK_READ_ONLY].map((name) => `patch.${name}`),
    bodyExample: EXAMPLE,
    success: {
      status: 202,
      description: 'The job.',
      schema: JobSchema,
      headers: { Location: 'The path of the job in the API.' },
      example: JOB_EXAMPLE,
    },
    errors: ['COUNT_CHANGED', 'TOO_MANY_JOBS'],
    // A job pays as it goes on, a dry run does its work here. `expected` is checked before that.
    cost: async ({ body, dryRun }) =>
      dryRun ? requestsFor(Math.min(body.expected, OPERATIONS_MAX)) : 1,
    async handler(call) {
      const { filter, patch, expected, ...rest } = call.body
      const caller = writerOf(call)
      const found = await filterJobs.count(caller, filter, expected)
      const { password, ...fields } = patch ?? {}
      const password_hash =
        typeof password !== 'string'
          ? password
          : call.dryRun
            ? ''
            : await links.hashPassword(password, caller.workspace)
      const { add_tags, remove_tags } = rest
      const change = {
        delete: rest.delete,
        add_tags,
        remove_tags,
        patch: patch && { ...fields, ...(password !== undefined && { password_hash }) },
      }
      const tried = call.dryRun ? await links.nextFound(caller, filter, found, OPERATIONS_MAX) : []
      return call.mutate(async (tx) => {
        const row = await filterJobs.enqueue(tx, caller, found, { filter, change })
        const headers = { Location: `${JOBS_PATH}/${row.id}` }
        const body = renderJob(row, call)
        if (!call.dryRun) return { status: 202, body, headers }
        const { refusals, ...counts } = await links.tryFound(tx, caller, { filter, change }, tried)
        const errors = refusals.map(({ id, error }) => ({
          id,
          ...describeError(error, call.locale),
        }))
        return { status: 202, body: { ...body, result: { ...counts, errors } }, headers }
      })
    },
  })

  endpoint(api, {
    method: 'post',
    path: '/api/v1/links/bulk/by-filter/{id}/undo',
    scope: 'links:write',
    dryRun: true,
    operationId: 'undoChangeByFilter',
    tag: 'Links',
    summary: 'Undo an update by filter',
    description:
      'Restores the links that a job has changed or deleted, as a job, from their history. Links that ' +
      'were changed since stay as they are. Its `result` is `{"job_id", "restored", "kept"}`.',
    params: z.object({
      id: z.string().openapi({ description: 'The id of the job.', example: JOB_EXAMPLE.id }),
    }),
    success: {
      status: 202,
      description: 'The job that undoes it.',
      schema: JobSchema,
      headers: { Location: 'The path of the job in the API.' },
      example: JOB_EXAMPLE,
    },
    errors: ['JOB_NOT_FOUND', 'TOO_MANY_JOBS'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const row = await filterJobs.undo(tx, writerOf(call), call.params.id)
        const headers = { Location: `${JOBS_PATH}/${row.id}` }
        return { status: 202, body: renderJob(row, call), headers }
      }),
  })
}
