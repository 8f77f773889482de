import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { ActorSchema } from '../audit/index.ts'

/** The reference's example. */
export const JOB_EXAMPLE = {
  id: 'job_01hzy3v9k2q4r6s8t0v2w4x6y8',
  type: 'links.by_filter',
  name: null,
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
    type: z.string().openapi({ description: 'The kind of job; further kinds may be added.' }),
    name: z.string().nullable().openapi({
      description:
        'For an import and its undo: the name of the file, or the host of the service. Null: none.',
    }),
    status: z.enum(JOB_STATUSES).openapi({
      description: '`succeeded`, `failed` and `cancelled` are final.',
    }),
    progress: z
      .object({
        done: count('Processed items, including failed ones.'),
        total: count('How many items there are. Null: not known yet.').nullable(),
        failed: count('Items that were refused.'),
      })
      .openapi({ description: 'The progress.' }),
    result: z
      .object({
        created: count('Of an import: links that it created.').optional(),
        updated: count('Of an import: links that it changed.').optional(),
        skipped: count('Of an import: records whose link exists.').optional(),
        refused: count('Of an import: records that are invalid.').optional(),
        imported_clicks: count('Of an import: imported clicks. Absent: none.').optional(),
        rows_omitted: count(
          'Of an import: refused, skipped and unchanged records without a row. Absent: none.',
        ).optional(),
        kept_until: z.string().optional().openapi({
          format: 'date-time',
          description:
            'Of a dry run of a file: `POST /imports/{id}/start` can import it until this time at most.',
        }),
        import_id: z.string().optional().openapi({
          description:
            'Of undoing: the import’s job. Of a dry run: the import that was started with its file.',
        }),
        job_id: z.string().optional().openapi({
          description: 'Of undoing a change by filter: the job of that change.',
        }),
        deleted: count('Of undoing: links that the import had created.').optional(),
        restored: count('Of undoing: links that have their earlier state again.').optional(),
        kept: count('Of undoing: links left alone, because they were changed since.').optional(),
        succeeded: count('Of a change by filter: links that were changed or deleted.').optional(),
        failed: count('Of a change by filter: links that were refused.').optional(),
        errors: z
          .array(
            z.object({
              id: z.string().openapi({ description: 'The id of the link.' }),
              code: z.string().openapi({ description: 'The code of the error.' }),
              details: z
                .array(z.object({ field: z.string(), code: z.string() }))
                .openapi({ description: 'The fields that were refused.' }),
            }),
          )
          .optional()
          .openapi({ description: 'Of a change by filter: why links were refused.' }),
      })
      .nullable()
      .openapi({
        description:
          'What the job has done so far. Which members it has depends on `type`; each says for which ' +
          'jobs it is. Null: nothing yet.',
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
