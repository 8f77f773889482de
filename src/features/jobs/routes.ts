import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageParameters, pageSuccess, repeatable } from '../../http/page.ts'
import { writerOf } from '../audit/index.ts'
import { JOB_EXAMPLE, JOB_STATUSES, JobListSchema, JobSchema } from './schemas.ts'
import { JOBS_PATH, type JobService, renderJob } from './service.ts'

const TAG = 'Jobs'

const Params = z.object({
  id: z.string().openapi({ description: 'The id of the job.', example: JOB_EXAMPLE.id }),
})

/** The most values of a filter. */
const TYPES_MAX = 20
const TYPE_LENGTH_MAX = 64
const TYPE = /^[a-z_]+(?:\.[a-z_]+)*$/

const status = repeatable(z.enum(JOB_STATUSES), JOB_STATUSES.length).openapi({
  param: { description: 'Only jobs with this status; may be repeated.' },
  type: 'array',
  items: { type: 'string', enum: [...JOB_STATUSES] },
  maxItems: JOB_STATUSES.length,
})

const Query = z.object({
  type: repeatable(z.string().max(TYPE_LENGTH_MAX).regex(TYPE), TYPES_MAX).openapi({
    param: { description: 'Only jobs of this type; may be repeated.' },
    type: 'array',
    items: { type: 'string', maxLength: TYPE_LENGTH_MAX, pattern: TYPE.source },
    maxItems: TYPES_MAX,
    example: [JOB_EXAMPLE.type],
  }),
  status,
  ...pageParameters,
})

/** The endpoints of jobs: list, get, cancel. */
export function registerJobRoutes(api: Pick<Api, 'add'>, deps: { jobs: JobService }): void {
  const { jobs } = deps

  endpoint(api, {
    method: 'get',
    path: JOBS_PATH,
    scope: 'links:read',
    operationId: 'listJobs',
    tag: TAG,
    summary: 'List jobs',
    description:
      'Operations that take longer than a request run as jobs. Finished ones are kept for 30 days.',
    query: Query,
    success: pageSuccess('One page of jobs, the newest first.', JobListSchema, JOB_EXAMPLE),
    errors: ['BAD_REQUEST'],
    async handler(call) {
      const { data, pagination } = await jobs.list(call.caller, call.query)
      return pageAnswer(call, { data: data.map((row) => renderJob(row, call)), pagination })
    },
  })

  const oneJob = {
    status: 200,
    description: 'The job as it is now.',
    schema: JobSchema,
    example: JOB_EXAMPLE,
  } as const

  endpoint(api, {
    method: 'get',
    path: `${JOBS_PATH}/{id}`,
    scope: 'links:read',
    operationId: 'getJob',
    tag: TAG,
    summary: 'Get a job',
    params: Params,
    success: oneJob,
    errors: ['JOB_NOT_FOUND'],
    handler: async (call) => ({
      status: 200,
      body: renderJob(await jobs.get(call.caller, call.params.id), call),
    }),
  })

  endpoint(api, {
    method: 'post',
    path: `${JOBS_PATH}/{id}/cancel`,
    scope: 'links:write',
    operationId: 'cancelJob',
    tag: TAG,
    summary: 'Cancel a job',
    description:
      'After the response the job changes nothing more; what it has done stays. Finished jobs ' +
      'are unchanged.',
    params: Params,
    success: oneJob,
    errors: ['JOB_NOT_FOUND'],
    handler: (call) =>
      call.mutate(async (tx) => ({
        status: 200,
        body: renderJob(await jobs.cancel(tx, writerOf(call), call.params.id), call),
      })),
  })
}
