import { type Command, Option } from 'commander'
import { COMMAND_LINE } from '../features/audit/index.ts'
import { type BlockKind, createBlockService } from '../features/blocks/index.ts'
import type { BlockService } from '../features/blocks/service.ts'
import { type Domains, listDomains } from '../model/domains/index.ts'
import type { Storage } from '../platform/storage/index.ts'
import { registerBulkCommand } from './client/links-bulk.ts'
import { registerExplainCommand } from './client/links-explain.ts'
import { registerLinkExportCommand } from './client/links-export.ts'
import { registerListCommand } from './client/links-list.ts'
import { registerLinkCommands } from './client/links-one.ts'
import { registerQrCommand } from './client/links-qr.ts'
import { registerStatisticsCommands } from './client/links-stats.ts'
import { registerWriteCommands } from './client/links-write.ts'
import { type CommandContext, CommandError, checkLimit } from './context.ts'
import { shortTime } from './times.ts'

const KINDS: readonly BlockKind[] = ['link', 'host', 'destination_host', 'workspace']

/**
 * `links block | unblock | blocks`: the operator's actions against abuse, in any workspace, on this
 * machine. All other subcommands are about one workspace, of any instance.
 */
export function registerLinksCommands(program: Command, context: CommandContext): void {
  const links = program.command('links').description('manage links (needs `slugline login`)')
  const kind = () =>
    new Option('--kind <kind>', 'type of value').choices(KINDS).default('link' satisfies BlockKind)
  const value = 'link ID, slug or short link; a host; a workspace ID'
  links
    .command('block')
    .description('block a link, host or workspace; visitors see a warning')
    .argument('<value>', value)
    .addOption(kind())
    .requiredOption('--reason <text>', 'reason shown to the workspace')
    .action((text: string, options) => block(context, { value: text, ...options }))
  links
    .command('unblock')
    .description('remove a block')
    .argument('<value>', value)
    .addOption(kind())
    .action((text: string, options) => unblock(context, { value: text, ...options }))
  links
    .command('blocks')
    .description('list blocks, newest first')
    .option('--limit <n>', 'maximum number of results', Number, 100)
    .action((options: { limit: number }) => list(context, options.limit))
  registerListCommand(links, context)
  registerLinkCommands(links, context)
  registerWriteCommands(links, context)
  registerBulkCommand(links, context)
  registerExplainCommand(links, context)
  registerStatisticsCommands(links, context)
  registerQrCommand(links, context)
  registerLinkExportCommand(links, context)
}

function block(
  context: CommandContext,
  input: { kind: BlockKind; value: string; reason: string },
): Promise<void> {
  return withBlocks(context, async (blocks, storage) => {
    const made = await storage.write((tx) => blocks.create(tx, COMMAND_LINE, input))
    context.print(`${made.value} blocked.`, made)
  })
}

function unblock(
  context: CommandContext,
  input: { kind: BlockKind; value: string },
): Promise<void> {
  return withBlocks(context, async (blocks, storage) => {
    const id = await storage.write(async (tx) => {
      const found = await blocks.find(tx, input)
      return found !== undefined && (await blocks.remove(tx, COMMAND_LINE, found)) ? found : null
    })
    if (id === null) throw new CommandError(`${input.value} is not blocked`, 1, 'NOT_FOUND')
    context.print(`${input.value} unblocked.`, { id, blocked: false })
  })
}

function list(context: CommandContext, limit: number): Promise<void> {
  checkLimit(limit)
  return withBlocks(context, async (blocks) => {
    const all = await blocks.list(null, limit)
    context.printList(all, 'Nothing is blocked.', {
      ID: ({ id }) => id,
      KIND: (block) => block.kind,
      VALUE: (block) => block.value,
      REASON: ({ reason }) => reason ?? '',
      'CREATED (UTC)': ({ created_at }) => shortTime(created_at),
    })
  })
}

function withBlocks(
  context: CommandContext,
  work: (blocks: BlockService, storage: Pick<Storage, 'write'>) => Promise<void>,
): Promise<void> {
  return context.withStorage(async ({ storage, clock, ids }) => {
    const domains = await knownDomains(storage, context.config.baseUrl)
    await work(createBlockService({ storage, clock, ids, domains }), storage)
  })
}

/** The stored hosts. A command must not write them: only the server knows its listening address. */
async function knownDomains(
  storage: Pick<Storage, 'read'>,
  baseUrl: string | null,
): Promise<Pick<Domains, 'noOf' | 'hostOf' | 'knows' | 'isCaseSensitive' | 'shortUrl'>> {
  const rows = await listDomains(storage)
  const scheme = URL.parse(baseUrl ?? '')?.protocol ?? 'http:'
  const served = rows.filter(({ status }) => status !== 'pending' && status !== 'removed')
  const numbers = new Map(served.map(({ no, host }) => [host, no]))
  const hosts = new Map(rows.map(({ no, host }) => [no, host]))
  return {
    noOf: (host) => numbers.get(host.toLowerCase()),
    knows: (host) => numbers.has(host.toLowerCase()),
    hostOf: (no) => hosts.get(no) ?? String(no),
    isCaseSensitive: (no) => rows.some((row) => row.no === no && row.case_sensitive === 1),
    shortUrl: (no, slug) =>
      `${scheme}//${hosts.get(no)}/${encodeURIComponent(slug).replaceAll('%2F', '/')}`,
  }
}
