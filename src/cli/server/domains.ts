import type { Command } from 'commander'
import { COMMAND_LINE, type Writer } from '../../features/audit/index.ts'
import { createLookUpTxt } from '../../features/domains/lookup.ts'
import { createDomainService, type DomainService } from '../../features/domains/service.ts'
import { createDomainSetup, setupDeps } from '../../features/domains/setup.ts'
import { createCursors } from '../../http/cursor.ts'
import { readDomains } from '../../model/domains/index.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { facts } from '../output.ts'
import { shortTime } from '../times.ts'
import { publicUrl } from './users.ts'

/** `domains list | verify | check`: the domains of all workspaces. */
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
  domains
    .command('check')
    .description('check the setup of a domain: DNS, certificate, connection')
    .argument('<id>', 'ID from `domains list`')
    .action((id: string) => check(context, id))
}

function list(context: CommandContext): Promise<void> {
  return context.withStorage(async (opened) => {
    const all = await serviceOf(context, opened).listAll()
    context.printList(all, 'No workspace has a domain.', {
      ID: ({ id }) => id,
      HOST: ({ host }) => host,
      STATUS: ({ status }) => status,
      WORKSPACE: ({ workspace }) => workspace,
      'CHECKED (UTC)': ({ checked_at }) => shortTime(checked_at),
    })
  })
}

/** The domain with an id, of any workspace. @throws CommandError */
async function find(service: DomainService, id: string) {
  const found = (await service.listAll()).find((domain) => domain.id === id)
  if (found !== undefined) return found
  throw new CommandError(`Domain “${id}” not found`, 1, 'DOMAIN_NOT_FOUND')
}

function check(context: CommandContext, id: string): Promise<void> {
  return context.withStorage(async (opened) => {
    const { config } = context
    const owner = await find(serviceOf(context, opened), id)
    const workspace = await opened.workspaces.get(opened.storage.read, owner.workspace)
    const domains = await readDomains(opened.storage, publicUrl(context), config.shortDomains)
    const setup = createDomainSetup({ ...opened, domains, ...setupDeps(config, opened.secrets) })
    const found = await setup.check({ workspace }, id)
    const { verification, dns, certificate, connection, ready } = found
    const steps = Object.entries({ verification, dns, certificate, connection })
    const lines = context.tableOf(steps, {
      STEP: ([name]) => name,
      STATUS: ([, { status }]) => status.replace('_', ' '),
      ERROR: ([, { error }]) => error ?? '',
    })
    const describe = (records: typeof dns.found) =>
      records.map(({ type, value }) => `${type} ${value}`).join(', ') || 'none'
    const more = facts({ expected: describe(dns.expected), found: describe(dns.found) })
    const outcome = `${found.host} is ${ready ? 'ready' : 'not ready'}.`
    context.print(`${outcome}\n\n${lines}\n\n${more}`, found)
    if (!ready) context.failed()
  })
}

function verify(context: CommandContext, id: string): Promise<void> {
  return context.withStorage(async (opened) => {
    const service = serviceOf(context, opened)
    const owner = await find(service, id)
    const { no, plan } = await opened.workspaces.get(opened.storage.read, owner.workspace)
    const workspace = { no, id: owner.workspace, language: null, plan: opened.plans.of(plan) }
    const caller: Writer = { workspace, actor: COMMAND_LINE }
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
