import type { Command } from 'commander'
import { type AuditEntry, createAuditService } from '../../features/audit/index.ts'
import { createCursors } from '../../http/cursor.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { shortTime } from '../times.ts'

const LIMIT_MAX = 1_000

interface Options {
  workspace?: string
  action?: string
  search?: string
  grouped?: true
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
    .option('--search <text>', 'with --workspace: text in the name or ID of the object or person')
    .option('--grouped', 'with --workspace: one entry for all changes of a job')
    .option('--limit <number>', 'maximum number of results', '50')
    .action((options: Options) => show(ctx, options))
}

function show(ctx: CommandContext, options: Options): Promise<void> {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw new CommandError(`--limit takes a number from 1 to ${LIMIT_MAX}`, 2)
  }
  for (const name of ['action', 'search', 'grouped'] as const) {
    if (options[name] !== undefined && options.workspace === undefined) {
      throw new CommandError(`--${name} needs --workspace`, 2)
    }
  }
  return ctx.withStorage(async ({ storage, secrets, workspaces }) => {
    const audit = createAuditService({ storage, cursors: createCursors(secrets.cursors) })
    let data: readonly AuditEntry[]
    if (options.workspace === undefined) data = await audit.recent(limit)
    else {
      const { no } = await workspaces.get(storage.read, options.workspace)
      const { action, grouped } = options
      const search = options.search?.toLowerCase()
      const filter = { ...(action && { action: [action] }), search, grouped }
      data = (await audit.list({ workspaceNo: no, ...filter }, { limit })).data
    }
    ctx.printList(data, 'There are no entries.', {
      'WHEN (UTC)': ({ created_at }) => shortTime(created_at),
      WHO: ({ actor }) => actor.name,
      WHAT: ({ action }) => action,
      OF: ({ target }) => target.label,
      CHANGED: ({ before, after, changes }) =>
        changes > 0
          ? `${changes} changes`
          : [...new Set([...Object.keys(before), ...Object.keys(after)])].join(','),
    })
  })
}
