import type { Command } from 'commander'
import { COMMAND_LINE } from '../audit/index.ts'
import {
  createWorkspaceService,
  type Workspace,
  type WorkspaceService,
} from '../workspaces/index.ts'
import { type CommandContext, CommandError, type CommandStorage } from './context.ts'
import { table } from './table.ts'
import { shortTime } from './times.ts'

interface Opened extends CommandStorage {
  workspaces: WorkspaceService
}

/** `workspaces list | create | set-plan` */
export function registerWorkspacesCommands(program: Command, ctx: CommandContext): void {
  const workspaces = program.command('workspaces').description('manage workspaces and their plans')

  workspaces
    .command('list')
    .description('list workspaces with their plans and what they use of them')
    .action(() =>
      open(ctx, async (opened) => {
        const all = await opened.workspaces.list()
        const human = all.length === 0 ? 'There are no workspaces.' : tableOf(all, opened)
        ctx.print(human, { data: all.map(shown) })
      }),
    )

  workspaces
    .command('create')
    .description('make a workspace')
    .argument('[name]', 'without one of that name, whatever the case')
    .option('--name <name>', 'the same, as an option')
    .option('--plan <id>', 'its plan (default: the default plan)')
    .action(async (argument: string | undefined, options: { name?: string; plan?: string }) => {
      const name = nameOf(argument, options.name)
      await open(ctx, async ({ storage, workspaces }) => {
        const made = await storage.write(async (tx) => {
          // People may choose a name that exists; a command would make it ambiguous for commands.
          await tx.lock(`workspace name ${name.trim().toLowerCase()}`)
          if ((await workspaces.find(name, tx)) !== undefined) {
            const message = `There is a workspace ${name} already`
            throw new CommandError(message, 1, 'WORKSPACE_NAME_TAKEN')
          }
          return workspaces.create(tx, { name, planId: options.plan }, COMMAND_LINE)
        })
        ctx.print(`Workspace ${made.name} (${made.id}) is made, on plan ${made.plan}.`, shown(made))
      })
    })

  workspaces
    .command('set-plan')
    .description('put a workspace on another plan; nothing that it has is taken away')
    .argument('<name>', 'name or id')
    .argument('<plan>', "the plan's id")
    .action((name: string, plan: string) =>
      open(ctx, async ({ storage, workspaces }) => {
        const changed = await storage.write((tx) =>
          workspaces.setPlan(tx, name, plan, COMMAND_LINE),
        )
        ctx.print(`Workspace ${changed.name} is on plan ${changed.plan}.`, shown(changed))
      }),
    )
}

/** The one name that was given, whichever way. @throws CommandError */
function nameOf(argument?: string, option?: string): string {
  const name = argument ?? option
  if (name === undefined) throw new CommandError('workspaces create needs a name', 2)
  if (argument === undefined || option === undefined) return name
  throw new CommandError('workspaces create takes one name, not two', 2)
}

function open<T>(ctx: CommandContext, work: (opened: Opened) => Promise<T>): Promise<T> {
  return ctx.withStorage((opened) =>
    work({ ...opened, workspaces: createWorkspaceService(opened) }),
  )
}

function shown({ no: _, ...rest }: Workspace): Omit<Workspace, 'no'> {
  return rest
}

function tableOf(all: readonly Workspace[], { plans }: CommandStorage): string {
  return table(
    ['NAME', 'ID', 'PLAN', 'LINKS', 'ADDRESSES', 'KEYS', 'MEMBERS', 'CREATED'],
    all.map(({ name, id, plan, usage, created_at }) => {
      const { limits } = plans.of(plan)
      return [
        name,
        id,
        plans.find(plan) === undefined ? `${plan} (unknown)` : plan,
        ofLimit(usage.links, limits.links),
        ofLimit(usage.addresses, limits.addresses),
        ofLimit(usage.api_keys, limits.api_keys),
        ofLimit(usage.members, limits.members),
        shortTime(created_at),
      ]
    }),
  )
}

function ofLimit(used: number, limit: number | null): string {
  return limit === null ? String(used) : `${used}/${limit}`
}
