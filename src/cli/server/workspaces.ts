import type { Command } from 'commander'
import { COMMAND_LINE } from '../../features/audit/index.ts'
import type { Workspace } from '../../features/workspaces/service.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { shortTime } from '../times.ts'

/** `workspaces list | create | set-plan` */
export function registerWorkspacesCommands(program: Command, ctx: CommandContext): void {
  const workspaces = program.command('workspaces').description('manage workspaces and plans')

  workspaces
    .command('list')
    .description('list workspaces with plan and usage')
    .action(() => list(ctx))

  workspaces
    .command('create')
    .description('create a workspace')
    .argument('[name]', 'name, unique regardless of case')
    .option('--name <name>', 'same as the argument')
    .option('--plan <id>', 'plan (default: the default plan)')
    .action(async (argument: string | undefined, options: { name?: string; plan?: string }) => {
      const name = nameOf(argument, options.name)
      await ctx.withStorage(async ({ storage, workspaces }) => {
        const made = await storage.write(async (tx) => {
          // People may choose an existing name, but it would be ambiguous for commands.
          await tx.lock(`workspace name ${name.trim().toLowerCase()}`)
          if ((await workspaces.find(name, tx)) !== undefined) {
            const message = `Workspace “${name}” already exists`
            throw new CommandError(message, 1, 'WORKSPACE_NAME_TAKEN')
          }
          return workspaces.create(tx, { name, planId: options.plan }, COMMAND_LINE)
        })
        ctx.print(`Workspace ${made.name} (${made.id}) is made, on plan ${made.plan}.`, shown(made))
      })
    })

  workspaces
    .command('set-plan')
    .description("change a workspace's plan; existing data is kept")
    .argument('<name>', 'name or ID')
    .argument('<plan>', "the plan's id")
    .action((name: string, plan: string) =>
      ctx.withStorage(async ({ storage, workspaces }) => {
        const changed = await storage.write((tx) =>
          workspaces.setPlan(tx, name, plan, COMMAND_LINE),
        )
        ctx.print(`Workspace ${changed.name} is on plan ${changed.plan}.`, shown(changed))
      }),
    )
}

/** The name, as an argument or an option. @throws CommandError */
function nameOf(argument?: string, option?: string): string {
  const name = argument ?? option
  if (name === undefined) throw new CommandError('workspaces create needs a name', 2)
  if (argument === undefined || option === undefined) return name
  throw new CommandError('workspaces create takes one name, not two', 2)
}

function list(ctx: CommandContext): Promise<void> {
  return ctx.withStorage(async ({ workspaces, plans }) => {
    const used = (what: keyof Workspace['usage']) => (workspace: Omit<Workspace, 'no'>) => {
      const limit = plans.of(workspace.plan).limits[what]
      const number = String(workspace.usage[what])
      return limit === null ? number : `${number}/${limit}`
    }
    ctx.printList((await workspaces.list()).map(shown), 'There are no workspaces.', {
      NAME: ({ name }) => name,
      ID: ({ id }) => id,
      PLAN: ({ plan }) => (plans.find(plan) === undefined ? `${plan} (unknown)` : plan),
      LINKS: used('links'),
      ADDRESSES: used('addresses'),
      KEYS: used('api_keys'),
      MEMBERS: used('members'),
      CREATED: ({ created_at }) => shortTime(created_at),
    })
  })
}

function shown({ no: _, ...rest }: Workspace): Omit<Workspace, 'no'> {
  return rest
}
