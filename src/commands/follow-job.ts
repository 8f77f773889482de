import { toStderr } from './output.ts'
import type { Remote } from './remote.ts'

/** It is asked how far a job is, less and less often. */
const POLL_MS = { first: 200, most: 2_000 }
const BAR_WIDTH = 30

/** A job of an instance, as its API gives it out. */
export interface RemoteJob<Result = Record<string, unknown>> {
  id: string
  type: string
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  progress: { done: number; total: number | null; failed: number }
  result: Result | null
  error: { code: string; message: string } | null
  created_at: string
}

/** Waits for the end of a job, with a bar on a terminal and a line for each step elsewhere. */
export async function followJob<R>(
  ask: Remote,
  first: RemoteJob<R>,
  isQuiet: boolean,
): Promise<RemoteJob<R>> {
  const isTerminal = process.stderr.isTTY
  let waitMs = POLL_MS.first
  let told = ''
  for (let job = first; ; ) {
    const text = isTerminal ? `\r${barOf(job)}` : `${countOf(job)}\n`
    if (!isQuiet && text !== told) toStderr(text)
    told = text
    if (job.status !== 'queued' && job.status !== 'running') {
      if (!isQuiet && isTerminal) toStderr('\n')
      return job
    }
    await Bun.sleep(waitMs)
    waitMs = Math.min(2 * waitMs, POLL_MS.most)
    job = (await (await ask(`/jobs/${job.id}`)).json()) as RemoteJob<R>
  }
}

type Measured = { progress: Pick<RemoteJob['progress'], 'done' | 'total'> }

/** `[#####.....]  50%  500 of 1,000` */
export function barOf(job: Measured): string {
  const { done, total } = job.progress
  const share = total === null || total === 0 ? 0 : Math.min(1, done / total)
  const filled = Math.round(share * BAR_WIDTH)
  const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '.')
  return `[${bar}] ${String(Math.round(share * 100)).padStart(3)}%  ${countOf(job)}`
}

/** `500 of 1,000` */
export function countOf({ progress: { done, total } }: Measured): string {
  const of = total === null ? '' : ` of ${total.toLocaleString('en')}`
  return `${done.toLocaleString('en')}${of}`
}
