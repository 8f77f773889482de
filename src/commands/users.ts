import type { Command } from 'commander'
import { listeningUrl } from '../config/index.ts'
import { lockState } from '../operations/index.ts'
import { createUserService, UserRefused } from '../users/index.ts'
import { createWorkspaceService, WorkspaceRefused } from '../workspaces/index.ts'
import { type CommandContext, CommandError } from './context.ts'
import { explained } from './refusals.ts'
import { facts } from './table.ts'

interface CreateOptions {
  email: string
  password?: string
  workspace?: string
}

/** `users create` */
export function registerUsersCommands(program: Command, ctx: CommandContext): void {
  const users = program.command('users').description('make people who can sign in')

  users
    .command('reset-link')
    .description('print an address at which somebody can choose a new password, for an hour')
    .argument('<email>', 'whose')
    .action((email: string) => resetLink(ctx, email))

  users
    .command('create')
    .description('make a person, and a workspace if named')
    .requiredOption('--email <address>', 'unique without regard to case')
    .option('--password <password>', 'at least 10 characters; made and shown once without it')
    .option('--workspace <name>', 'name or id; they join as its owner, made if there is none')
    .action((options: CreateOptions) => create(ctx, options))
}

function create(ctx: CommandContext, { email, password, workspace }: CreateOptions): Promise<void> {
  return explained([UserRefused, WorkspaceRefused], () =>
    ctx.withStorage(async (opened) => {
      const workspaces = createWorkspaceService(opened)
      const users = createUserService({ ...opened, workspaces })
      const { generatedPassword, ...user } = await users.create({ email, password, workspace })
      const lines: [string, string][] = [
        ['id', user.id],
        ['email', user.email],
      ]
      if (user.workspace !== null) lines.push(['workspace', `${user.workspace.name} (owner)`])
      if (generatedPassword === null) {
        ctx.print(facts(lines), user)
        return
      }
      lines.push(['password', generatedPassword])
      const human = `${facts(lines)}\n\nThe password is shown only this once: store it now.`
      ctx.print(human, { ...user, password: generatedPassword })
    }),
  )
}

/** For who has forgotten their password where no messages can be sent. */
function resetLink(ctx: CommandContext, email: string): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const { baseUrl, host, port, dataDir } = ctx.config
    const { createResetLink } = await import('../accounts/reset-link.ts')
    const { url, expiresAt } = await createResetLink({
      ...opened,
      baseUrl: baseUrl ?? lockState(dataDir).url ?? listeningUrl(host, port),
      email,
    })
    if (url === null) throw new CommandError(`There is no user ${email}`, 1, 'USER_NOT_FOUND')
    const until = new Date(expiresAt).toISOString()
    ctx.print(`${url}\n\nIt works once, until ${until}.`, { url, expires_at: until })
  })
}
