import type { Command } from 'commander'
import { COMMAND_LINE } from '../audit/index.ts'
import {
  type ApiKey,
  type CreatedKey,
  createKeyService,
  type KeyService,
  SCOPES,
} from '../keys/index.ts'
import { createWorkspaceService, type WorkspaceService } from '../workspaces/index.ts'
import type { CommandContext, CommandStorage } from './context.ts'
import { facts, table } from './table.ts'
import { parseDuration, parseMoment, shortTime } from './times.ts'

interface CreateOptions {
  workspace: string
  name: string
  scopes: string
  expires?: string
  plan?: string
}

interface Opened extends CommandStorage {
  keys: KeyService
  workspaces: WorkspaceService
}

/** `keys create | list | revoke | rotate` */
export function registerKeysCommands(program: Command, ctx: CommandContext): void {
  const keys = program.command('keys').description('make and manage API keys')

  keys
    .command('create')
    .description('make an API key; it is shown once')
    .requiredOption('--workspace <name>', 'name or id; made if there is none of that name')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--scopes <list>', 'what the key may do, separated by commas', SCOPES.join(','))
    .option('--expires <when>', 'a duration such as 90d, or an RFC 3339 time (default: never)')
    .option('--plan <id>', "the workspace's plan from now on")
    .action((options: CreateOptions) => create(ctx, options))

  keys
    .command('list')
    .description('list API keys')
    .option('--workspace <name>', 'name or id; all workspaces without it')
    .action((options: { workspace?: string }) => list(ctx, options))

  keys
    .command('revoke')
    .description('end an API key at once and for good')
    .argument('<id>', "the key's id or its 8 public characters")
    .action((id: string) => revoke(ctx, id))

  keys
    .command('rotate')
    .description('replace an API key; the new one is shown once')
    .argument('<id>', "the key's id or its 8 public characters")
    .option('--overlap <duration>', 'how long the old key goes on working', '24h')
    .action((id: string, options: { overlap: string }) => rotate(ctx, id, options))
}

function open<T>(ctx: CommandContext, work: (opened: Opened) => Promise<T>): Promise<T> {
  return ctx.withStorage((opened) => {
    const keys = createKeyService({ ...opened, pepper: opened.secrets.apiKeys })
    return work({ ...opened, keys, workspaces: createWorkspaceService(opened) })
  })
}

function create(ctx: CommandContext, options: CreateOptions): Promise<void> {
  return open(ctx, async ({ storage, clock, keys, workspaces }) => {
    const { name } = options
    const scopes = options.scopes.split(/[\s,]+/).filter((scope) => scope !== '')
    const expiresAt =
      options.expires === undefined ? null : parseMoment('--expires', options.expires, clock.now())
    const { workspace, created } = await storage.write(async (tx) => {
      const workspace = await workspaces.ensure(
        tx,
        options.workspace,
        { planId: options.plan },
        COMMAND_LINE,
      )
      const created = await keys.create(tx, workspace.no, { name, scopes, expiresAt }, COMMAND_LINE)
      return { workspace, created }
    })
    ctx.print(
      shownOnce(created, [['workspace', `${workspace.name} (plan ${workspace.plan})`]]),
      created,
    )
  })
}

function list(ctx: CommandContext, options: { workspace?: string }): Promise<void> {
  return open(ctx, async ({ storage, keys, workspaces }) => {
    const filter =
      options.workspace === undefined
        ? {}
        : { workspaceNo: (await workspaces.get(storage.read, options.workspace)).no }
    const data = await keys.list(filter)
    ctx.print(data.length === 0 ? 'There are no keys.' : tableOf(data), { data })
  })
}

function revoke(ctx: CommandContext, id: string): Promise<void> {
  return open(ctx, async ({ storage, keys }) => {
    const key = await storage.write((tx) => keys.revoke(tx, refOf(id), {}, COMMAND_LINE))
    ctx.print(`Key ${key.prefix} (${key.name}, workspace ${key.workspace.name}) is revoked.`, key)
  })
}

function rotate(ctx: CommandContext, id: string, options: { overlap: string }): Promise<void> {
  return open(ctx, async ({ storage, keys }) => {
    const overlapMs = parseDuration('--overlap', options.overlap)
    const created = await storage.write((tx) =>
      keys.rotate(tx, refOf(id), { overlapMs }, COMMAND_LINE),
    )
    const old = await keys.get(refOf(id))
    const replaces = `${old.prefix}, which works until ${shortTime(old.expires_at)} UTC`
    ctx.print(shownOnce(created, [['replaces', replaces]]), created)
  })
}

/** What identifies a key, of whatever part of it was pasted. */
function refOf(text: string): string {
  return /^slug_([0-9A-Za-z]{8})(_[0-9A-Za-z]*)?$/.exec(text)?.[1] ?? text
}

function shownOnce(created: CreatedKey, more: readonly (readonly [string, string])[]): string {
  const expires = created.expires_at === null ? 'never' : `${shortTime(created.expires_at)} UTC`
  const rest = facts([
    ['id', created.id],
    ...more,
    ['scopes', created.scopes.join(', ')],
    ['expires', expires],
  ])
  return `${created.key}\n\n${rest}\n\nThe key is shown only this once: store it now.`
}

function tableOf(keys: readonly ApiKey[]): string {
  return table(
    ['KEY', 'NAME', 'WORKSPACE', 'SCOPES', 'STATUS', 'CREATED', 'EXPIRES', 'LAST USED'],
    keys.map((key) => [
      key.prefix,
      key.name,
      key.workspace.name,
      key.scopes.join(','),
      key.status,
      shortTime(key.created_at),
      shortTime(key.expires_at),
      shortTime(key.last_used_at),
    ]),
  )
}
