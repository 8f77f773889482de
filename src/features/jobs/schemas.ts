import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { ActorSchema } from '../audit/index.ts'

/** The reference's example. */
export const JOB_EXAMPLE = {
  id: 'job_01hzy3v9k2q4r6s8t0v2w4x6y8',
  type: 'links.by_filter',
  status: 'running',
  progress: { done: 4000, total: 12408, failed: 0 },
  result: null,
  error: null,
  actor: { type: 'user', id: 'usr_01hzy3v9k2q4r6s8t0v2w4x6y8', name: 'Ada Lovelace' },
  created_at: '2026-05-04T09:30:12.345Z',
  started_at: '2026-05-04T09:30:12.410Z',
  finished_at: null,
}

const time = (description: string) => z.string().openapi({ format: 'date-time', description })
const count = (description: string) => z.int().min(0).openapi({ description })

/** The statuses of a job. */
export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** A job in responses. */
export const JobSchema = z
  .object({
    id: z.string().openapi({ description: '`job_` and 26 characters; ids sort by time.' }),
    type: z.string().openapi({ description: 'What it does; further types may be added.' }),
    status: z.enum(JOB_STATUSES).openapi({
      description: 'The last three are final.',
    }),
    progress: z
      .object({
        done: count('Processed items, including failed ones.'),
        total: count('Of how many. Null: not known yet.').nullable(),
        failed: count('Items that were refused.'),
      })
      .openapi({ description: 'The progress.' }),
    result: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({
        type: ['object', 'null'],
        description: 'Its result, by its type. Null: none yet.',
      }),
    error: z.object({ code: z.string(), message: z.string() }).nullable().openapi({
      description: 'Why it failed; what was done before stays done. Null: it has not.',
    }),
    actor: ActorSchema,
    created_at: time('When it was requested, in UTC.'),
    started_at: time('When it first began, in UTC. Null: it waits.').nullable(),
    finished_at: time('When it ended, in UTC. Null: it has not yet.').nullable(),
  })
  .openapi('Job', { example: JOB_EXAMPLE })

export type ShownJob = z.output<typeof JobSchema>

export const JobListSchema = listOf(JobSchema).openapi('JobList')
