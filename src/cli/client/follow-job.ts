import { setTimeout as wait } from 'node:timers/promises'
import type { Job, Slugline } from '../../../sdk/typescript/src/index.ts'
import { CommandError } from '../context.ts'
import { toStderr } from '../output.ts'
import { PATIENT } from './remote.ts'

/** The interval of polling a job, which increases. */
const POLL_MS = { first: 200, most: 2_000 }
const BAR_WIDTH = 30

/**
 * Waits for the end of a job, showing a progress bar on a terminal and lines otherwise. Ctrl+C
 * stops the waiting, not the job.
 */
export async function followJob({ jobs }: Slugline, first: Job, isQuiet: boolean): Promise<Job> {
  const leaving = new AbortController()
  const { signal } = leaving
  const leave = () => leaving.abort()
  process.once('SIGINT', leave)
  const meter = createMeter(isQuiet)
  let waitMs = POLL_MS.first
  try {
    for (let job = first; ; ) {
      meter.show(job)
      if (job.status !== 'queued' && job.status !== 'running') return job
      await wait(waitMs, undefined, { signal })
      waitMs = Math.min(2 * waitMs, POLL_MS.most)
      job = await jobs.get(first.id, { ...PATIENT, signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    const text = `The job continues. To watch it again: slugline jobs watch ${first.id}`
    throw new CommandError(text, 1, 'INTERRUPTED')
  } finally {
    process.removeListener('SIGINT', leave)
    meter.end()
  }
}

/** Shows progress on stderr: a bar on a terminal, otherwise lines. */
export function createMeter(isQuiet: boolean) {
  const isTerminal = process.stderr.isTTY
  let shown = ''
  return {
    show(progress: Measured) {
      const text = isTerminal ? `\r${barOf(progress)}` : `${countOf(progress)}\n`
      if (!isQuiet && text !== shown) toStderr(text)
      shown = text
    },
    /** Ends the line of the bar. */
    end() {
      if (!isQuiet && isTerminal && shown !== '') toStderr('\n')
    },
  }
}

type Measured = { progress: Pick<Job['progress'], 'done' | 'total'> }

/** `[#####.....]  50%  500 of 1,000` */
function barOf(job: Measured): string {
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
