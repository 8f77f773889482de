import type { Command } from 'commander'
import { COMMAND_LINE, type Principal } from '../../features/audit/index.ts'
import { createLookUpTxt } from '../../features/domains/lookup.ts'
import { createDomainService } from '../../features/domains/service.ts'
import { createCursors } from '../../http/cursor.ts'
import { type CommandContext, CommandError } from '../context.ts'

/** `domains list | verify`: the domains of all workspaces. */
export function registerDomainsCommands(program: Command, context: CommandContext): void {
  const domains = program.command('domains').description('manage custom domains')
  domains
    .command('list')
    .description('list domains, grouped by host')
    .action(() => list(context))
  domains
    .command('verify')
    .description('check the TXT record of a domain now')
    .argument('<id>', 'ID from `domains list`')
    .action((id: string) => verify(context, id))
}

function list(context: CommandContext): Promise<void> {
  return context.withStorage(async (opened) => {
    const all = await serviceOf(context, opened).listAll()
    context.printList(all, 'No workspace has a domain.', {
      ID: ({ id }) => id,
      HOST: ({ host }) => host,
      STATUS: ({ status }) => status,
      WORKSPACE: ({ workspace }) => workspace,
      CHECKED: ({ checked_at }) => checked_at ?? '–',
    })
  })
}

function verify(context: CommandContext, id: string): Promise<void> {
  return context.withStorage(async (opened) => {
    const service = serviceOf(context, opened)
    const owner = (await service.listAll()).find((domain) => domain.id === id)
    if (owner === undefined) {
      throw new CommandError(`Domain “${id}” not found`, 1, 'DOMAIN_NOT_FOUND')
    }
    const { no, plan } = await opened.workspaces.get(opened.storage.read, owner.workspace)
    const workspace = { no, id: owner.workspace, language: null, plan: opened.plans.of(plan) }
    const caller: Principal = { workspace, actor: COMMAND_LINE }
    const [answer, links] = await Promise.all([
      service.lookUp(no, id),
      service.linksOn({ workspace: { no } }, id),
    ])
    const domain = await opened.storage.write((tx) =>
      service.verify(tx, caller, id, { answer, links }),
    )
    const { found, error } = domain.verification
    const seen = error ?? (found.length === 0 ? 'nothing' : found.join(' | '))
    context.print(`${domain.host} is ${domain.status}. Found: ${seen}`, domain)
    if (domain.status !== 'active') context.failed()
  })
}

type Opened = Parameters<Parameters<CommandContext['withStorage']>[0]>[0]

function serviceOf({ config }: CommandContext, opened: Opened) {
  return createDomainService({
    ...opened,
    cursors: createCursors(opened.secrets.cursors),
    // A command has no list in memory; the server notices changes by itself.
    domains: { refresh: async () => {} },
    lookUpTxt: createLookUpTxt(config.dnsServers),
  })
}
