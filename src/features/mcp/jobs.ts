import { z } from '@hono/zod-openapi'
import type { ShownJob } from '../jobs/schemas.ts'
import { get, refusal } from './call.ts'
import { text, tool } from './tool.ts'

/** How many jobs and refused records are returned. */
const SHOWN = 20

/** A job in results. */
export const JOB = z.looseObject({
  id: z.string(),
  type: z.string(),
  status: z.string().describe('queued, running, succeeded, failed or cancelled'),
  progress: z.looseObject({ done: z.number(), total: z.number().nullable(), failed: z.number() }),
})

/** A sentence about a job. */
export function toldJob({ id, status, progress, error }: ShownJob): string {
  const { done, total, failed } = progress
  const refused = failed === 0 ? '' : `, ${failed} of them refused`
  const why = error === null ? '' : ` ${error.code}: ${error.message}`
  const isOver = !['queued', 'running'].includes(status)
  const more = isOver ? '' : ' Call get_job_status later with this id.'
  return `Job ${id}: ${status}, ${done} of ${total ?? 'an unknown number of'} items done${refused}.${why}${more}`
}

export const getJobStatus = tool({
  name: 'get_job_status',
  title: 'Status of imports and bulk changes',
  description:
    'Get the progress of an import or another job, and which records of an import were refused and why. ' +
    'Without id: the latest jobs, newest first.',
  scopes: ['links:read'],
  effect: 'reads',
  input: { id: text('The id of the job or import (job_…).', 64) },
  output: {
    jobs: z.array(JOB),
    refused: z
      .array(z.looseObject({ row: z.number() }))
      .optional()
      .describe('The first refused records of an import, with reasons'),
  },
  async run(call, { id }) {
    if (id === undefined) {
      const { data: jobs } = await get<{ data: ShownJob[] }>(call, '/jobs', { limit: SHOWN })
      return { text: jobs.map(toldJob).join('\n') || 'There are no jobs.', data: { jobs } }
    }
    if (!/^job_[0-9a-z]{26}$/.test(id)) throw refusal('JOB_NOT_FOUND', `No job is called “${id}”.`)
    const job = await get<ShownJob>(call, `/jobs/${id}`)
    const data = { jobs: [job] }
    if (!job.type.startsWith('imports.')) return { text: toldJob(job), data }
    const query = { status: 'refused', limit: SHOWN }
    const rows = await get<{ data: object[] }>(call, `/imports/${id}/rows`, query)
    return { text: toldJob(job), data: { ...data, refused: rows.data } }
  },
})
