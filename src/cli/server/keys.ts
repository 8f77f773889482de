import type { Command } from 'commander'
import { COMMAND_LINE } from '../../features/audit/index.ts'
import { checkKeyName } from '../../features/keys/input.ts'
import type { CreatedKey } from '../../features/keys/make.ts'
import { createKeyService, type KeyService } from '../../features/keys/service.ts'
import { readDomains } from '../../model/domains/index.ts'
import type { ShownRestrictions } from '../../model/keys/restrictions.ts'
import { SCOPES } from '../../model/keys/scopes.ts'
import type { CommandContext, CommandStorage } from '../context.ts'
import { facts } from '../output.ts'
import { parseDuration, parseMoment, shortTime } from '../times.ts'
import { publicUrl } from './users.ts'

interface CreateOptions {
  workspace: string
  name: string
  scopes: string
  expires?: string
  plan?: string
  domain?: string[]
  folder?: string[]
  tag?: string[]
  network?: string[]
  ownLinks?: boolean
}

/** More scopes must be requested. */
const DEFAULT_SCOPES = 'links:read,links:write'

const collect = (value: string, before: string[] = []) => [...before, value]

/** `keys create | list | rename | revoke | rotate` */
export function registerKeysCommands(program: Command, ctx: CommandContext): void {
  const keys = program.command('keys').description('manage API keys')

  keys
    .command('create')
    .description('create an API key; shown only once')
    .requiredOption('--workspace <name>', "name or ID; created if it doesn't exist")
    .requiredOption('--name <name>', 'name of the key')
    .option('--scopes <list>', `separated by commas, of ${SCOPES.join(', ')}`, DEFAULT_SCOPES)
    .option('--domain <host>', 'only links on this domain; repeatable', collect)
    .option('--folder <id>', 'only links in this folder; repeatable', collect)
    .option('--tag <name>', 'only links with this tag; repeatable', collect)
    .option('--network <cidr>', 'only from this address or network; repeatable', collect)
    .option('--own-links', 'only links that the key creates')
    .option('--expires <when>', 'duration such as 90d, or RFC 3339 time (default: never)')
    .option('--plan <id>', 'put the workspace on this plan')
    .action((options: CreateOptions) => create(ctx, options))

  keys
    .command('list')
    .description('list API keys')
    .option('--workspace <name>', 'name or ID (default: all workspaces)')
    .action((options: { workspace?: string }) => list(ctx, options))

  keys
    .command('rename')
    .description('rename an API key')
    .argument('<id>', "the key's id or its 8 public characters")
    .requiredOption('--name <name>', 'new name')
    .action((id: string, options: { name: string }) => rename(ctx, id, options))

  keys
    .command('revoke')
    .description("revoke an API key immediately; can't be undone")
    .argument('<id>', "the key's id or its 8 public characters")
    .action((id: string) => revoke(ctx, id))

  keys
    .command('rotate')
    .description('replace an API key; the new key is shown only once')
    .argument('<id>', "the key's id or its 8 public characters")
    .option('--overlap <duration>', 'how long the old key stays valid', '24h')
    .action((id: string, options: { overlap: string }) => rotate(ctx, id, options))
}

async function keysOf(ctx: CommandContext, opened: CommandStorage): Promise<KeyService> {
  const domains = await readDomains(opened.storage, publicUrl(ctx), ctx.config.shortDomains)
  return createKeyService({ ...opened, domains, pepper: opened.secrets.apiKeys })
}

function create(ctx: CommandContext, options: CreateOptions): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const { storage, clock, workspaces } = opened
    const { name, expires } = options
    const scopes = options.scopes.split(/[\s,]+/).filter((scope) => scope !== '')
    const expiresAt = expires === undefined ? null : parseMoment('--expires', expires, clock.now())
    const keys = await keysOf(ctx, opened)
    const { workspace, created } = await storage.write(async (tx) => {
      const plan = { planId: options.plan }
      const workspace = await workspaces.ensure(tx, options.workspace, plan, COMMAND_LINE)
      const input = { name, scopes, expiresAt, restrictions: restrictionsOf(options) }
      const created = await keys.create(tx, workspace.no, input, COMMAND_LINE)
      return { workspace, created }
    })
    printOnce(ctx, created, { workspace: `${workspace.name} (plan ${workspace.plan})` })
  })
}

function list(ctx: CommandContext, { workspace }: { workspace?: string }): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const { storage, workspaces } = opened
    const filter =
      workspace === undefined
        ? {}
        : { workspaceNo: (await workspaces.get(storage.read, workspace)).no }
    const keys = await keysOf(ctx, opened)
    ctx.printList(await keys.list(filter), 'There are no keys.', {
      ID: ({ id }) => id,
      KEY: (key) => key.prefix,
      NAME: (key) => key.name,
      WORKSPACE: (key) => key.workspace.name,
      SCOPES: (key) => key.scopes.join(','),
      RESTRICTIONS: (key) => restrictionsText(key.restrictions),
      STATUS: (key) => key.status,
      'CREATED (UTC)': (key) => shortTime(key.created_at),
      'EXPIRES (UTC)': (key) => shortTime(key.expires_at),
      'LAST USED (UTC)': (key) => shortTime(key.last_used_at),
    })
  })
}

function rename(ctx: CommandContext, id: string, options: { name: string }): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const name = checkKeyName(options.name)
    const keys = await keysOf(ctx, opened)
    const key = await opened.storage.write((tx) =>
      keys.update(tx, refOf(id), { name }, {}, COMMAND_LINE),
    )
    ctx.print(`Key ${key.prefix} (workspace ${key.workspace.name}) renamed to ${key.name}.`, key)
  })
}

function revoke(ctx: CommandContext, id: string): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const keys = await keysOf(ctx, opened)
    const key = await opened.storage.write((tx) => keys.revoke(tx, refOf(id), {}, COMMAND_LINE))
    ctx.print(`Key ${key.prefix} (${key.name}, workspace ${key.workspace.name}) revoked.`, key)
  })
}

function rotate(ctx: CommandContext, id: string, options: { overlap: string }): Promise<void> {
  return ctx.withStorage(async (opened) => {
    const keys = await keysOf(ctx, opened)
    const overlapMs = parseDuration('--overlap', options.overlap)
    const created = await opened.storage.write((tx) =>
      keys.rotate(tx, refOf(id), { overlapMs }, COMMAND_LINE),
    )
    const old = await keys.get(refOf(id))
    const replaces = `${old.prefix}, which works until ${shortTime(old.expires_at)} UTC`
    printOnce(ctx, created, { replaces })
  })
}

/** The restrictions of the options. */
function restrictionsOf({ domain, folder, tag, network, ownLinks }: CreateOptions) {
  return { domains: domain, folders: folder, tags: tag, networks: network, own_links: ownLinks }
}

/** The id or prefix of a key, from any part of it that was pasted. */
function refOf(text: string): string {
  return /^slug_([0-9A-Za-z]{8})(_[0-9A-Za-z]*)?$/.exec(text)?.[1] ?? text
}

function restrictionsText(restrictions: ShownRestrictions | null): string {
  const parts = Object.entries(restrictions ?? {}).map(([name, value]) =>
    value === true ? name : `${name}=${value?.join(',')}`,
  )
  return parts.join(' ')
}

function printOnce(ctx: CommandContext, created: CreatedKey, more: Record<string, string>): void {
  const expires = created.expires_at === null ? 'never' : `${shortTime(created.expires_at)} UTC`
  const restrictions = restrictionsText(created.restrictions ?? null)
  const restricted = restrictions === '' ? {} : { restrictions }
  const rest = facts({
    id: created.id,
    ...more,
    scopes: created.scopes.join(', '),
    ...restricted,
    expires,
  })
  ctx.print(`${created.key}\n\n${rest}\n\nThe key is shown only this once: store it now.`, created)
}
