import type { Command } from 'commander'
import { type AuditEntry, createAuditService } from '../../features/audit/index.ts'
import { createCursors } from '../../http/cursor.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { shortTime } from '../times.ts'

const LIMIT_MAX = 1_000

interface Options {
  workspace?: string
  action?: string
  limit: string
}

/** `audit`: who changed what. */
export function registerAuditCommand(program: Command, ctx: CommandContext): void {
  program
    .command('audit')
    .description('show the audit log, newest first')
    .option('--workspace <name>', 'name or ID (default: all workspaces)')
    .option(
      '--action <action>',
      'with --workspace: an action such as link.updated, or link for all link actions',
    )
    .option('--limit <number>', 'maximum number of results', '50')
    .action((options: Options) => show(ctx, options))
}

function show(ctx: CommandContext, options: Options): Promise<void> {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw new CommandError(`--limit takes a number from 1 to ${LIMIT_MAX}`, 2)
  }
  if (options.action !== undefined && options.workspace === undefined) {
    throw new CommandError('--action needs --workspace', 2)
  }
  return ctx.withStorage(async ({ storage, secrets, workspaces }) => {
    const audit = createAuditService({ storage, cursors: createCursors(secrets.cursors) })
    let data: readonly AuditEntry[]
    if (options.workspace === undefined) data = await audit.recent(limit)
    else {
      const { no } = await workspaces.get(storage.read, options.workspace)
      const { action } = options
      data = (await audit.list({ workspaceNo: no, action }, { limit })).data
    }
    ctx.printList(data, 'There are no entries.', {
      'WHEN (UTC)': ({ created_at }) => shortTime(created_at),
      WHO: ({ actor }) => printable(actor.name),
      WHAT: ({ action }) => action,
      OF: ({ target }) => printable(target.label),
      CHANGED: ({ before, after }) =>
        [...new Set([...Object.keys(before), ...Object.keys(after)])].join(','),
    })
  })
}

/** Makes a name safe to print: it must not contain terminal control characters. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '?')
}
