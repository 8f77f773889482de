import type { Command } from 'commander'
import type { Job, Query } from '../../../sdk/typescript/src/index.ts'
import { type Columns, type CommandContext, CommandError } from '../context.ts'
import { facts } from '../output.ts'
import { shortTime } from '../times.ts'
import { countOf, followJob } from './follow-job.ts'
import { clientOf } from './remote.ts'

const only = (value: string) => [value]

/** `jobs list | show | watch | start | cancel | undo`: jobs of the logged-in instance. */
export function registerJobsCommands(program: Command, context: CommandContext): void {
  const jobs = program.command('jobs').description('background jobs: imports and bulk updates')
  jobs
    .command('list')
    .description('list jobs, newest first')
    .option('--limit <n>', 'maximum number of results, up to 100', Number, 25)
    .option('--type <type>', 'only this type, such as imports.file', only)
    .option('--status <status>', 'queued, running, succeeded, failed or cancelled', only)
    .action((filter: Filter) => list(context, filter))
  const one = (name: string, description: string, run: (id: string) => Promise<void>) =>
    jobs.command(name).description(description).argument('<id>', 'ID from `jobs list`').action(run)
  one('show', 'show a job', async (id) =>
    show(context, await clientOf(context).jobs.get(id)),
  ).alias('get')
  one('watch', 'wait until a job finishes', async (id) => {
    const slugline = clientOf(context)
    const ended = await followJob(slugline, await slugline.jobs.get(id), context.json)
    if (ended.status === 'succeeded') return show(context, ended)
    const reason = ended.error?.message ?? `The job is ${ended.status}.`
    throw new CommandError(reason, 1, ended.error?.code ?? ended.status.toUpperCase())
  })
  one('start', 'import the file that a preview (import --dry-run) has checked', async (id) =>
    show(context, await clientOf(context).imports.start(id)),
  )
  one('undo', 'undo an import or a bulk update; links changed since are kept', async (id) => {
    const { jobs, imports, links } = clientOf(context)
    const { type } = await jobs.get(id)
    const isImport = type.startsWith('imports.')
    show(context, await (isImport ? imports.undo(id) : links.undoByFilter(id)))
  })
  one('cancel', 'cancel a job; completed work is kept', async (id) =>
    show(context, await clientOf(context).jobs.cancel(id)),
  )
}

type Filter = Pick<Query<'/jobs'>, 'limit' | 'type' | 'status'>

async function list(context: CommandContext, { limit, type, status }: Filter): Promise<void> {
  const body = await clientOf(context).jobs.list({ limit, type, status }).page()
  const columns: Columns<Job> = {
    ID: ({ id }) => id,
    TYPE: ({ type }) => type,
    NAME: ({ name }) => name ?? '',
    STATUS: ({ status }) => status,
    DONE: (job) => countOf(job),
    'CREATED (UTC)': ({ created_at }) => shortTime(created_at),
  }
  context.printList(body.data, 'There are no jobs.', columns, body)
}

function show(context: CommandContext, job: Job): void {
  const { id, type, name, status, progress, result, error } = job
  const shown = {
    job: id,
    type,
    ...(name !== null && { name }),
    status,
    done: countOf(job),
    failed: String(progress.failed),
    ...(result && { result: JSON.stringify(result) }),
    ...(error && { error: error.message }),
  }
  context.print(facts(shown), job)
}
