import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { type CommandContext, CommandError } from '../../context.ts'
import { toStderr } from '../../output.ts'
import { createMeter } from '../follow-job.ts'
import { clientOf } from '../remote.ts'
import { applyChanges } from './apply.ts'
import { describePlan, describeRefusals, resultOf, summaryOf } from './describe.ts'
import { readDeclared } from './files.ts'
import { type Plan, planOf } from './plan.ts'

interface Options {
  dryRun?: boolean
  exitCode?: true
  prune?: true
  prefix?: string
  yes?: true
}

/** `apply FILE…`: makes the links of a workspace as files declare them. */
export function registerApplyCommand(program: Command, context: CommandContext): void {
  program
    .command('apply')
    .description('create and update links as declared in files (needs `slugline login`)')
    .argument('<files...>', 'YAML or JSON files, directories of them, or - for stdin')
    .option('--dry-run', 'only show what would change')
    .option('--exit-code', 'with --dry-run: exit with 2 if anything would change, with 1 on errors')
    .option('--prefix <text>', 'beginning of every external ID in the files')
    .option('--prune', 'delete links with this prefix that no file declares; asks first')
    .option('-y, --yes', 'delete without asking')
    .action((files: string[], options: Options) => run(context, files, options))
}

async function run(context: CommandContext, files: string[], options: Options): Promise<void> {
  const { prefix = '', prune, dryRun, exitCode } = options
  if (prune && prefix === '') throw new CommandError('--prune needs --prefix', 2)
  if (exitCode && !dryRun) throw new CommandError('--exit-code needs --dry-run', 2)
  try {
    await apply(context, files, { ...options, prefix })
  } catch (error) {
    // Scripts must not take it for a difference.
    if (!exitCode || !(error instanceof CommandError)) throw error
    throw new CommandError(error.message, 1, error.code, error.details)
  }
}

async function apply(
  context: CommandContext,
  files: string[],
  { prefix, prune, dryRun = false, exitCode, yes }: Options & { prefix: string },
): Promise<void> {
  const declared = await readDeclared(files, prefix)
  const slugline = clientOf(context)
  const plan = await planOf(slugline, declared, prune ? prefix : null)
  const { changes, refusals } = plan
  const isRefused = refusals.length > 0
  if (dryRun || isRefused || changes.length === 0) {
    if (isRefused) context.failed()
    else if (exitCode && changes.length > 0) context.differs()
    const lines = [...describePlan(changes), ...describeRefusals(refusals), summaryOf(plan)]
    if (isRefused && !dryRun) lines.push('Nothing was changed.')
    return context.print(
      lines.join('\n'),
      resultOf(plan, { dryRun, done: dryRun ? changes : [], refusals }),
    )
  }
  await confirm(context, plan, yes === true)
  const meter = createMeter(context.json || !process.stderr.isTTY)
  const total = changes.length
  const applied = await applyChanges(slugline, changes, (done) =>
    meter.show({ progress: { done, total } }),
  ).finally(() => meter.end())
  if (applied.refusals.length > 0) context.failed()
  const lines = [...describePlan(applied.done), ...describeRefusals(applied.refusals)]
  lines.push(summaryOf(plan, applied.done))
  context.print(lines.join('\n'), resultOf(plan, { dryRun, ...applied }))
}

/** Shows what is to be deleted, and asks. @throws CommandError */
async function confirm(context: CommandContext, plan: Plan, yes: boolean): Promise<void> {
  const deletions = plan.changes.filter(({ action }) => action === 'delete')
  if (deletions.length === 0 || yes) return
  const count = `${deletions.length} ${deletions.length === 1 ? 'link' : 'links'}`
  if (context.json || !process.stdin.isTTY) {
    const text = `${count} would be deleted. Review them with --dry-run, then confirm with --yes`
    throw new CommandError(text, 1, 'NOT_CONFIRMED')
  }
  toStderr(`${[...describePlan(plan.changes), summaryOf(plan)].join('\n')}\n`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const answer = await Promise.race([lines.question(`Delete ${count}? [y/N] `), closed])
  lines.close()
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new CommandError('Nothing was changed', 1, 'NOT_CONFIRMED')
  }
}
