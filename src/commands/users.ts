import { type Command, Option } from 'commander'
import { COMMAND_LINE } from '../audit/index.ts'
import { listeningUrl } from '../config/index.ts'
import { AppError } from '../errors/index.ts'
import type { Role } from '../http/types.ts'
import { isSupportedLocale } from '../i18n/index.ts'
import { type Notice, smtp, writeMail } from '../mail/index.ts'
import { ROLES } from '../members/index.ts'
import { lockState } from '../operations/index.ts'
import { createUserService } from '../users/index.ts'
import { createWorkspaceService } from '../workspaces/index.ts'
import { type CommandContext, CommandError, type CommandStorage } from './context.ts'
import { toStderr } from './output.ts'
import { facts, table } from './table.ts'
import { shortTime } from './times.ts'

interface CreateOptions {
  email: string
  password?: string
  passwordStdin?: boolean
  workspace?: string
}

interface JoinOptions {
  workspace: string
  role: Role
}

/** `users create | list | join | reset-link | remove-second-factor | claim-link | make-owner | delete` */
export function registerUsersCommands(program: Command, ctx: CommandContext): void {
  const users = program.command('users').description('people who can sign in')

  users
    .command('create')
    .description('make a person, and a workspace if named')
    .requiredOption('--email <address>', 'unique without regard to case')
    .option('--password <password>', 'other users of this machine can see it while this runs')
    .option('--password-stdin', 'read it from standard input; without it one is made and shown')
    .option('--workspace <name>', 'name or id; they join as its owner, made if there is none')
    .action((options: CreateOptions) => create(ctx, options))

  users
    .command('list')
    .description('list people, and how they sign in')
    .action(() => list(ctx))

  users
    .command('join')
    .description('let somebody who has an account into a workspace')
    .argument('<email>', 'who')
    .requiredOption('--workspace <name>', 'its name or id')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('owner'))
    .action((email: string, options: JoinOptions) => join(ctx, email, options))

  users
    .command('reset-link')
    .description('print an address at which somebody can choose a new password, for an hour')
    .argument('<email>', 'whose')
    .action((email: string) => resetLink(ctx, email))

  users
    .command('remove-second-factor')
    .description('for who has lost it and the recovery codes; signs them out everywhere')
    .argument('<email>', 'whose')
    .action((email: string) => removeSecondFactor(ctx, email))

  users
    .command('claim-link')
    .description('print the address at which the first account is made; the one before is void')
    .action(() => claimLink(ctx))

  users
    .command('make-owner')
    .description('hand the instance over to somebody')
    .argument('<email>', 'to whom')
    .action((email: string) => makeOwner(ctx, email))

  users
    .command('delete')
    .description('delete an account for good; what the person has made stays')
    .argument('<email>', 'whose')
    .option('--keep-keys', 'API keys that the person made go on working')
    .action((email: string, options: { keepKeys?: true }) => remove(ctx, email, options.keepKeys))
}

async function create(ctx: CommandContext, options: CreateOptions): Promise<void> {
  const { email, workspace } = options
  const password = await passwordOf(options)
  return ctx.withStorage(async (opened) => {
    const workspaces = createWorkspaceService(opened)
    const users = createUserService(opened)
    let joined: { id: string; name: string } | null = null
    const made = await users.create({ email, password }, async (tx, user) => {
      if (workspace === undefined) return
      const found = await workspaces.ensure(tx, workspace, {}, COMMAND_LINE)
      await workspaces.join(tx, found, user, 'owner', COMMAND_LINE)
      joined = { id: found.id, name: found.name }
    })
    const { generatedPassword, ...rest } = made
    const user = { ...rest, workspace: joined as { id: string; name: string } | null }
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
  })
}

/** @throws CommandError when it is given in two ways */
async function passwordOf(options: CreateOptions): Promise<string | undefined> {
  const { password, passwordStdin } = options
  if (password !== undefined && passwordStdin) {
    throw new CommandError('--password and --password-stdin exclude each other', 2)
  }
  if (passwordStdin) return (await Bun.stdin.text()).replace(/\r?\n$/, '')
  if (password !== undefined) {
    toStderr('slugline: --password is visible in the process list; use --password-stdin\n')
  }
  return password
}

/** For a workspace that a command made: nobody is in it who could invite. */
function join(ctx: CommandContext, email: string, { workspace, role }: JoinOptions): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const { letJoin } = await import('../accounts/operator.ts')
    const workspaces = createWorkspaceService(opened)
    const joined = await letJoin({ ...opened, workspaces }, { email, workspace, role })
    if (joined === null) throw noSuchUser(email)
    const { id, name } = joined.workspace
    const facts = { email: joined.email, workspace: { id, name }, role }
    ctx.print(`${joined.email} is in ${name} now (${role}).`, facts)
  })
}

/** For who has forgotten their password where no messages can be sent. */
function resetLink(ctx: CommandContext, email: string): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const notify = await createNotify(ctx, opened, email)
    const { createResetLink } = await import('../accounts/operator.ts')
    const { url, expiresAt } = await createResetLink({
      ...opened,
      baseUrl: publicUrl(ctx),
      email,
    })
    if (url === null) throw noSuchUser(email)
    await notify('reset_link')
    const until = new Date(expiresAt).toISOString()
    ctx.print(`${url}\n\nIt works once, until ${until}.`, { url, expires_at: until })
  })
}

/** Where people reach the server: as it is set, as the one that runs says, or as it would listen. */
function publicUrl({ config }: CommandContext): string {
  const { baseUrl, host, port, dataDir } = config
  return baseUrl ?? lockState(dataDir).publicUrl ?? listeningUrl(host, port)
}

function noSuchUser(email: string): CommandError {
  return new CommandError(`There is no user ${email}`, 1, 'USER_NOT_FOUND')
}

function list(ctx: CommandContext): Promise<void> {
  return ctx.withStorage(async ({ storage }) => {
    const { listPeople } = await import('../accounts/operator.ts')
    const all = await listPeople(storage)
    const rows = all.map((person) => [
      person.email,
      person.name ?? '',
      person.id,
      person.two_factor ? 'yes' : 'no',
      String(person.passkeys),
      String(person.workspaces),
      person.instance_owner ? 'yes' : '',
      shortTime(person.created_at),
    ])
    const titles = [
      'EMAIL',
      'NAME',
      'ID',
      '2ND FACTOR',
      'PASSKEYS',
      'WORKSPACES',
      'OWNER',
      'CREATED',
    ]
    ctx.print(all.length === 0 ? 'There are no users.' : table(titles, rows), { data: all })
  })
}

/** Tells a person by mail what the operator does to their account, where mail is set up. */
async function createNotify(ctx: CommandContext, { storage }: CommandStorage, email: string) {
  const { accountOf, userIdByEmail } = await import('../accounts/store.ts')
  const id = await userIdByEmail(storage.read, email.trim())
  const person = id === undefined ? undefined : await accountOf(storage.read, id)
  return async (notice: Notice): Promise<void> => {
    const { mail } = ctx.config
    if (mail === null || person === undefined) return
    const { email: to, language } = person
    const locale = language !== null && isSupportedLocale(language) ? language : 'en'
    const baseUrl = publicUrl(ctx)
    const written = { kind: 'notice', notice, to, locale, params: { email: to } } as const
    // What was done stands, whether or not the mail server takes the message.
    await smtp(mail)(writeMail({ ...written, url: `${baseUrl}/app/account` }, baseUrl)).catch(
      () => {},
    )
  }
}

/** For who can't see what `serve` printed. */
function claimLink(ctx: CommandContext): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const { claimUrl, createClaims } = await import('../accounts/claims.ts')
    const token = await createClaims(opened).open()
    if (token === null) {
      throw new CommandError('There are accounts: the instance is claimed', 1, 'ALREADY_CLAIMED')
    }
    const url = claimUrl(publicUrl(ctx), token)
    ctx.print(`${url}\n\nIt works once, and until the server starts again.`, { url })
  })
}

function removeSecondFactor(ctx: CommandContext, email: string): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const notify = await createNotify(ctx, opened, email)
    const { dropSecondFactor } = await import('../accounts/operator.ts')
    const removed = await dropSecondFactor(opened, email)
    if (removed === null) throw noSuchUser(email)
    if (removed) await notify('two_factor_off')
    const human = removed
      ? `${email} signs in with the password alone now, and is signed out everywhere.`
      : `${email} has no second factor.`
    ctx.print(human, { email, removed })
  })
}

function remove(ctx: CommandContext, email: string, keepKeys = false): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const notify = await createNotify(ctx, opened, email)
    const { removePerson } = await import('../accounts/removal.ts')
    const removed = await removePerson(opened, email, keepKeys).catch((error) => {
      throw operatorsRefusal(error, email)
    })
    if (removed === null) throw noSuchUser(email)
    await notify('deleted')
    ctx.print(`The account of ${removed} is deleted.`, { email: removed, deleted: true })
  })
}

/** What the person would be told, as it is told of them. */
function operatorsRefusal(error: unknown, email: string): unknown {
  if (!(error instanceof AppError)) return error
  if (error.code === 'SOLE_OWNER') {
    const name = String(error.params.workspace)
    const advice = `somebody else must own it first (users join, or the dashboard)`
    return new CommandError(`${email} is the only owner of ${name}: ${advice}`, 1, error.code)
  }
  if (error.code !== 'INSTANCE_OWNER') return error
  const advice = 'Hand it over by: slugline users make-owner EMAIL'
  return new CommandError(`${email} owns the instance. ${advice}`, 1, error.code)
}

/** So that whoever owns the instance can go, or has gone without handing it over. */
function makeOwner(ctx: CommandContext, email: string): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const notify = await createNotify(ctx, opened, email)
    const { handOverInstance } = await import('../accounts/operator.ts')
    if (!(await handOverInstance(opened, email))) throw noSuchUser(email)
    await notify('instance_owner')
    ctx.print(`${email} owns the instance now.`, { email, instance_owner: true })
  })
}
