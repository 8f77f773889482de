import type { Command } from 'commander'
import { COMMAND_LINE } from '../../features/audit/index.ts'
import type { Workspace, WorkspaceService } from '../../features/workspaces/service.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { shortTime } from '../times.ts'

/** `workspaces list | create | rename | set-plan | delete` */
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
          await assertFree(tx, workspaces, name)
          return workspaces.create(tx, { name, planId: options.plan }, COMMAND_LINE)
        })
        ctx.print(
          `Workspace ${made.name} (${made.id}) created, on plan ${made.plan}.`,
          toWorkspaceJson(made),
        )
      })
    })

  workspaces
    .command('rename')
    .description('rename a workspace')
    .argument('<name>', 'name or ID')
    .argument('<new-name>', 'unique regardless of case')
    .action((ref: string, name: string) =>
      ctx.withStorage(async ({ storage, workspaces }) => {
        const changed = await storage.write(async (tx) => {
          const { id } = await workspaces.get(tx, ref)
          await assertFree(tx, workspaces, name, id)
          return workspaces.update(tx, id, { name }, COMMAND_LINE)
        })
        ctx.print(`Workspace ${changed.id} renamed to ${changed.name}.`, toWorkspaceJson(changed))
      }),
    )

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
        ctx.print(`Workspace ${changed.name} is on plan ${changed.plan}.`, toWorkspaceJson(changed))
      }),
    )

  workspaces
    .command('delete')
    .description('delete a workspace with its links, keys and statistics permanently')
    .argument('<name>', 'name or ID')
    .option('--yes', "required, because this can't be undone")
    .action((ref: string, options: { yes?: true }) => remove(ctx, ref, options.yes))
}

/** Deletes a workspace. The server deletes what is left of it within moments, or at its next start. */
function remove(ctx: CommandContext, ref: string, confirmed = false): Promise<void> {
  return ctx.withStorage(async ({ storage, clock, workspaces }) => {
    const { createWorkspaceRemoval } = await import('../../features/workspaces/removal.ts')
    const { dropOwnedOf: dropDomains } = await import('../../features/domains/store.ts')
    const removal = createWorkspaceRemoval({
      storage,
      clock,
      dropDomains,
      purgeLinks: async () => false,
    })
    const removed = await storage.write(async (tx) => {
      await tx.lockWorkspace((await workspaces.get(tx, ref)).no)
      const found = await workspaces.get(tx, ref)
      if (!confirmed) {
        const { links, members } = found.usage
        const what = `${found.name} (${found.id}) with ${links} links and ${members} members`
        throw new CommandError(`Add --yes to delete workspace ${what} permanently`, 2)
      }
      await removal.remove(tx, found, COMMAND_LINE)
      return found
    })
    const json = { id: removed.id, name: removed.name, deleted: true }
    ctx.print(`Workspace ${removed.name} (${removed.id}) deleted.`, json)
  })
}

/** People may choose an existing name, but it would be ambiguous for commands. @throws CommandError */
async function assertFree(
  tx: Transaction,
  workspaces: Pick<WorkspaceService, 'find'>,
  name: string,
  of?: string,
): Promise<void> {
  await tx.lock(`workspace name ${name.trim().toLowerCase()}`)
  const found = await workspaces.find(name, tx)
  if (found === undefined || found.id === of) return
  throw new CommandError(`Workspace “${name}” already exists`, 1, 'WORKSPACE_NAME_TAKEN')
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
    ctx.printList((await workspaces.list()).map(toWorkspaceJson), 'There are no workspaces.', {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      PLAN: ({ plan }) => (plans.find(plan) === undefined ? `${plan} (unknown)` : plan),
      LINKS: used('links'),
      ADDRESSES: used('addresses'),
      KEYS: used('api_keys'),
      MEMBERS: used('members'),
      'CREATED (UTC)': ({ created_at }) => shortTime(created_at),
    })
  })
}

function toWorkspaceJson({ no: _, ...rest }: Workspace): Omit<Workspace, 'no'> {
  return rest
}
