import { type Command, Option } from 'commander'
import { COMMAND_LINE } from '../../features/audit/index.ts'
import { ROLES } from '../../features/members/roles.ts'
import { createUserService } from '../../features/users/service.ts'
import type { Role } from '../../http/callers.ts'
import { AppError } from '../../lib/errors/index.ts'
import { isSupportedLocale } from '../../lib/i18n/index.ts'
import { listeningUrl } from '../../platform/config/index.ts'
import { type Notice, writeMail } from '../../platform/mail/message.ts'
import { smtp } from '../../platform/mail/smtp.ts'
import { lockState } from '../../server/operations/lock.ts'
import { type CommandContext, CommandError, type CommandStorage } from '../context.ts'
import { facts, toStderr } from '../output.ts'
import { shortTime } from '../times.ts'

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
  const users = program.command('users').description('manage users')

  users
    .command('create')
    .description('create a user (and optionally a workspace)')
    .requiredOption('--email <address>', 'case-insensitive')
    .option(
      '--password <password>',
      'visible to other users of this machine; prefer --password-stdin',
    )
    .option(
      '--password-stdin',
      'read the password from standard input (default: generate and print one)',
    )
    .option(
      '--workspace <name>',
      "name or ID; the user joins as owner; created if it doesn't exist",
    )
    .action((options: CreateOptions) => create(ctx, options))

  users
    .command('list')
    .description('list users and how they sign in')
    .action(() => list(ctx))

  users
    .command('join')
    .description('add an existing user to a workspace')
    .argument('<email>', 'email of the user')
    .requiredOption('--workspace <name>', 'name or ID')
    .addOption(new Option('--role <role>', 'role in the workspace').choices(ROLES).default('owner'))
    .action((email: string, options: JoinOptions) => join(ctx, email, options))

  users
    .command('reset-link')
    .description('print a password reset link, valid for one hour')
    .argument('<email>', 'email of the user')
    .action((email: string) => resetLink(ctx, email))

  users
    .command('remove-second-factor')
    .description('turn off two-factor authentication for a user and sign them out')
    .argument('<email>', 'email of the user')
    .action((email: string) => removeSecondFactor(ctx, email))

  users
    .command('claim-link')
    .description('print the setup link for the owner account; replaces the previous link')
    .action(() => claimLink(ctx))

  users
    .command('make-owner')
    .description('transfer instance ownership')
    .argument('<email>', 'email of the new owner')
    .action((email: string) => makeOwner(ctx, email))

  users
    .command('delete')
    .description('delete an account permanently; what the user created stays')
    .argument('<email>', 'email of the user')
    .option('--keep-keys', "don't revoke the API keys that the user created")
    .action((email: string, options: { keepKeys?: true }) => remove(ctx, email, options.keepKeys))
}

async function create(ctx: CommandContext, options: CreateOptions): Promise<void> {
  const { email, workspace: name } = options
  const password = await passwordOf(options)
  return ctx.withStorage(async (opened) => {
    const { workspaces } = opened
    const joined: { workspace: { id: string; name: string } | null } = { workspace: null }
    const { recordAccount } = await import('../../features/accounts/security.ts')
    const made = await createUserService(opened).create({ email, password }, async (tx, user) => {
      await recordAccount(tx, COMMAND_LINE, opened.clock.now(), 'account.created', user)
      if (name === undefined) return
      const found = await workspaces.ensure(tx, name, {}, COMMAND_LINE)
      await workspaces.join(tx, found, user, 'owner', COMMAND_LINE)
      joined.workspace = { id: found.id, name: found.name }
    })
    const { generatedPassword, ...rest } = made
    const { workspace } = joined
    const human = facts({
      id: rest.id,
      email: rest.email,
      ...(workspace !== null && { workspace: `${workspace.name} (owner)` }),
      ...(generatedPassword !== null && { password: generatedPassword }),
    })
    if (generatedPassword === null) ctx.print(human, { ...rest, workspace })
    else {
      const json = { ...rest, workspace, password: generatedPassword }
      ctx.print(`${human}\n\nThe password is shown only this once: store it now.`, json)
    }
  })
}

/** @throws CommandError when it is given twice */
async function passwordOf(options: CreateOptions): Promise<string | undefined> {
  const { password, passwordStdin } = options
  if (password !== undefined && passwordStdin) {
    throw new CommandError('Use either --password or --password-stdin', 2)
  }
  if (passwordStdin) return (await Bun.stdin.text()).replace(/\r?\n$/, '')
  if (password !== undefined) {
    toStderr('slugline: --password is visible in the process list; use --password-stdin\n')
  }
  return password
}

/** For a workspace created by a command, which has no members to invite others. */
function join(ctx: CommandContext, email: string, { workspace, role }: JoinOptions): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const { addMember } = await import('../../features/accounts/operator.ts')
    const joined = await addMember(opened, { email, workspace, role })
    if (joined === null) throw noSuchUser(email)
    const { id, name } = joined.workspace
    const facts = { email: joined.email, workspace: { id, name }, role }
    ctx.print(`${joined.email} joined ${name} as ${role}.`, facts)
  })
}

/** The public URL: as configured, as the running server reports, or as it would listen. */
export function publicUrl({ config }: CommandContext): string {
  const { baseUrl, host, port, dataDir } = config
  return baseUrl ?? lockState(dataDir).publicUrl ?? listeningUrl(host, port)
}

function noSuchUser(email: string): CommandError {
  return new CommandError(`User “${email}” not found`, 1, 'USER_NOT_FOUND')
}

function list(ctx: CommandContext): Promise<void> {
  return ctx.withStorage(async ({ storage }) => {
    const { listPeople } = await import('../../features/accounts/operator.ts')
    ctx.printList(await listPeople(storage), 'There are no users.', {
      ID: ({ id }) => id,
      EMAIL: ({ email }) => email,
      NAME: ({ name }) => name ?? '',
      '2ND FACTOR': (person) => (person.two_factor ? 'yes' : 'no'),
      PASSKEYS: ({ passkeys }) => String(passkeys),
      WORKSPACES: ({ workspaces }) => String(workspaces),
      OWNER: (person) => (person.instance_owner ? 'yes' : ''),
      'CREATED (UTC)': (person) => shortTime(person.created_at),
    })
  })
}

/** For an operator who can't see the output of `serve`. */
function claimLink(ctx: CommandContext): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const { claimUrl, createClaims } = await import('../../features/accounts/claims.ts')
    const token = await createClaims(opened).open()
    if (token === null) {
      throw new CommandError(
        'This instance already has an account, so there is no setup link',
        1,
        'ALREADY_CLAIMED',
      )
    }
    const url = claimUrl(publicUrl(ctx), token)
    ctx.print(`${url}\n\nWorks once. A newer link replaces it.`, { url })
  })
}

/** The result of an action on an account; null: there is no such person. */
type Done = { human: string; json: object; isUnchanged?: boolean } | null

/** Changes an account, and notifies the person by email if that is set up. */
function change(
  ctx: CommandContext,
  email: string,
  notice: Notice,
  work: (opened: CommandStorage) => Promise<Done>,
): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const { userIdByEmail } = await import('../../features/accounts/by-email.ts')
    const { accountOf } = await import('../../features/accounts/store.ts')
    const { read } = opened.storage
    const id = await userIdByEmail(read, email)
    const person = id === undefined ? undefined : await accountOf(read, id)
    const done = await work(opened)
    if (done === null) throw noSuchUser(email)
    const { mail } = ctx.config
    if (mail !== null && person !== undefined && !done.isUnchanged) {
      const { email: to, language } = person
      const locale = language !== null && isSupportedLocale(language) ? language : 'en'
      const baseUrl = publicUrl(ctx)
      const written = { kind: 'notice', notice, to, locale, params: { email: to } } as const
      const message = writeMail({ ...written, url: `${baseUrl}/app/account` }, baseUrl)
      // The change is done, whether or not the mail server accepts the message.
      await smtp(mail)(message).catch(() => {})
    }
    ctx.print(done.human, done.json)
  })
}

/** For a person who has forgotten their password if email isn't set up. */
function resetLink(ctx: CommandContext, email: string): Promise<void> {
  return change(ctx, email, 'reset_link', async (opened) => {
    const { createResetLink } = await import('../../features/accounts/operator.ts')
    const link = await createResetLink({ ...opened, baseUrl: publicUrl(ctx), email })
    if (link.url === null) return null
    const until = new Date(link.expiresAt).toISOString()
    const human = `${link.url}\n\nWorks once and expires at ${until}.`
    return { human, json: { url: link.url, expires_at: until } }
  })
}

function removeSecondFactor(ctx: CommandContext, email: string): Promise<void> {
  return change(ctx, email, 'two_factor_off', async (opened) => {
    const { dropSecondFactor } = await import('../../features/accounts/operator.ts')
    const removed = await dropSecondFactor(opened, email)
    if (removed === null) return null
    const human = removed
      ? `The second factor of ${email} is removed, and all their sessions are ended.`
      : `${email} has no second factor.`
    return { human, json: { email, removed }, isUnchanged: !removed }
  })
}

/** Lets the owner of the instance leave, or be replaced after leaving. */
function makeOwner(ctx: CommandContext, email: string): Promise<void> {
  return change(ctx, email, 'instance_owner', async (opened) => {
    const { handOverInstance } = await import('../../features/accounts/operator.ts')
    if (!(await handOverInstance(opened, email))) return null
    return { human: `${email} now owns the instance.`, json: { email, instance_owner: true } }
  })
}

function remove(ctx: CommandContext, email: string, keepKeys = false): Promise<void> {
  return change(ctx, email, 'deleted', async (opened) => {
    const { removePerson } = await import('../../features/accounts/removal.ts')
    const removed = await removePerson(opened, email, keepKeys).catch((error) => {
      throw operatorsRefusal(error, email)
    })
    if (removed === null) return null
    const { eraseAddresses } = await import('../../features/accounts/erasure.ts')
    await eraseAddresses(opened)
    const json = { email: removed, deleted: true }
    return { human: `The account of ${removed} is deleted.`, json }
  })
}

/** The refusal in the operator's terms. */
function operatorsRefusal(error: unknown, email: string): unknown {
  if (!(error instanceof AppError)) return error
  if (error.code === 'SOLE_OWNER') {
    const name = String(error.params.workspace)
    const advice = 'make another person its owner first (slugline users join, or in the dashboard)'
    return new CommandError(`${email} is the only owner of ${name}: ${advice}`, 1, error.code)
  }
  if (error.code !== 'INSTANCE_OWNER') return error
  const advice = 'Transfer it first: slugline users make-owner EMAIL'
  return new CommandError(`${email} owns the instance. ${advice}`, 1, error.code)
}
