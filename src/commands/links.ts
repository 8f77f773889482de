import type { Command } from 'commander'
import type { Domains } from '../domains/index.ts'
import type { Storage } from '../storage/index.ts'
import { type CommandContext, CommandError } from './context.ts'

/** `links block | unblock`: the operator's means against abuse, in any workspace. */
export function registerLinksCommands(program: Command, context: CommandContext): void {
  const links = program.command('links').description("act on links, whoever's they are")
  links
    .command('block')
    .description('answer its visitors with a warning instead of the redirect')
    .argument('<link>', 'id, slug, or short address')
    .action((link: string) => change(context, link, true))
  links
    .command('unblock')
    .description('let a blocked link redirect again')
    .argument('<link>', 'id, slug, or short address')
    .action((link: string) => change(context, link, false))
}

function change(context: CommandContext, link: string, blocked: boolean): Promise<void> {
  return context.withStorage(async ({ storage, clock }) => {
    const { setBlocked } = await import('../links/index.ts')
    const domains = await knownDomains(storage)
    const found = await storage.write((tx) =>
      setBlocked({ domains, clock }, tx, hostAndSlug(link), blocked),
    )
    if (found === null) throw new CommandError(`There is no link ${link}`, 1, 'LINK_NOT_FOUND')
    const { id, isDeleted } = found
    const state = blocked ? 'blocked' : 'not blocked'
    const human = isDeleted
      ? `${id} is deleted. Should its workspace restore it, it will be ${state}.`
      : `${id} is ${state} now.`
    context.print(human, { id, blocked, ...(isDeleted && { deleted: true }) })
  })
}

/**
 * The hosts as they are written down. A command must not write them itself: only the server knows
 * which address it listens on. Only `noOf` is there: blocking asks for nothing else.
 */
async function knownDomains({ read }: Pick<Storage, 'read'>): Promise<Domains> {
  const rows = await read.db.selectFrom('domains').select(['no', 'host']).execute()
  const numbers = new Map(rows.map(({ no, host }) => [host, no]))
  const noOf: Domains['noOf'] = (host) => numbers.get(host.toLowerCase())
  return { noOf } as Domains
}

/** `https://sho.rt/a%20b` as `sho.rt/a b`; anything else as it is. */
function hostAndSlug(link: string): string {
  const url = /^https?:/i.test(link) && URL.canParse(link) ? new URL(link) : null
  if (url === null) return link
  return `${url.host}/${decodeURIComponent(url.pathname.replace(/^\/|[/+]$/g, ''))}`
}
