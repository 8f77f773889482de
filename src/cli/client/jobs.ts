import type { Command } from 'commander'
import { type CommandContext, CommandError } from '../context.ts'
import { facts } from '../output.ts'
import { countOf, followJob, type RemoteJob } from './follow-job.ts'
import { bodyOf, remoteOf } from './remote.ts'

/** `jobs list | show | watch | cancel`: jobs of the logged-in instance. */
export function registerJobsCommands(program: Command, context: CommandContext): void {
  const jobs = program.command('jobs').description('background jobs: imports and bulk updates')
  jobs
    .command('list')
    .description('list jobs, newest first')
    .option('--limit <n>', 'maximum number of results, up to 100', '25')
    .option('--type <type>', 'only this type, such as imports.file')
    .option('--status <status>', 'queued, running, succeeded, failed or cancelled')
    .action((query: { limit: string; type?: string; status?: string }) => list(context, query))
  const one = (name: string, description: string, run: (id: string) => Promise<void>) =>
    jobs.command(name).description(description).argument('<id>', 'ID from `jobs list`').action(run)
  one('show', 'show a job', async (id) => show(context, await find(context, id))).alias('get')
  one('watch', 'wait until a job finishes', async (id) => {
    const job = await find(context, id)
    const ended = await followJob(remoteOf(context), job, context.json)
    if (ended.status === 'succeeded') return show(context, ended)
    const reason = ended.error?.message ?? `The job is ${ended.status}.`
    throw new CommandError(reason, 1, ended.error?.code ?? ended.status.toUpperCase())
  })
  one('cancel', 'cancel a job; completed work is kept', async (id) => {
    const path = `/jobs/${encodeURIComponent(id)}/cancel`
    show(context, await bodyOf(remoteOf(context)(path, {}, { method: 'POST' })))
  })
}

function find(context: CommandContext, id: string): Promise<RemoteJob> {
  return bodyOf(remoteOf(context)(`/jobs/${encodeURIComponent(id)}`))
}

async function list(context: CommandContext, query: Record<string, string>): Promise<void> {
  const body = await bodyOf<{ data: RemoteJob[] }>(remoteOf(context)('/jobs', query))
  const lines = body.data.map((job) =>
    [job.created_at, job.id, job.type, job.status, countOf(job)].join('  '),
  )
  context.print(lines.length === 0 ? 'There are no jobs.' : lines.join('\n'), body)
}

function show(context: CommandContext, job: RemoteJob): void {
  const { id, type, status, progress, result, error } = job
  const shown = {
    ...{ job: id, type, status },
    done: countOf(job),
    failed: String(progress.failed),
    ...(result && { result: JSON.stringify(result) }),
    ...(error && { error: error.message }),
  }
  context.print(facts(shown), job)
}
