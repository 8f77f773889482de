import type { Command } from 'commander'
import type { Link } from '../../../sdk/typescript/src/index.ts'
import type { CommandContext } from '../context.ts'
import { facts } from '../output.ts'
import { findLink, findLinkId, LINK_ARGUMENT } from './find-link.ts'
import { clientAt, clientOf, loginOf } from './remote.ts'

/** `links get | delete | open`: one link. */
export function registerLinkCommands(links: Command, context: CommandContext): void {
  links
    .command('get')
    .description('show a link')
    .argument('<link>', LINK_ARGUMENT)
    .action(async (link: string) => showLink(context, await findLink(clientOf(context), link)))
  links
    .command('delete')
    .description('delete a link; the dashboard can restore it for 7 days')
    .argument('<link>', LINK_ARGUMENT)
    .action((link: string) => remove(context, link))
  links
    .command('open')
    .description('open a link in the dashboard')
    .argument('<link>', LINK_ARGUMENT)
    .option('--visit', 'open the short link itself instead; counts as a click')
    .action((link: string, options: { visit?: true }) => open(context, link, options))
}

/** Prints a link: for people its set fields, for programs all fields. */
export function showLink(context: CommandContext, link: Link): void {
  const { clicks, rules, variants, block: _, warnings, created_by, ...fields } = link
  const shown = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== false && String(value) !== '',
  )
  const texts: Record<string, string> = {
    ...Object.fromEntries(shown.map(([name, value]) => [name, textOf(value)])),
    ...(rules.length > 0 && { rules: String(rules.length) }),
    ...(variants.length > 0 && { variants: String(variants.length) }),
    ...(created_by && { created_by: created_by.name }),
    clicks:
      `${clicks.human} by people, ${clicks.bot} by bots, ${clicks.unique} unique` +
      (clicks.imported > 0 ? `, and ${clicks.imported} before the import` : ''),
  }
  const warned = (warnings ?? []).map(({ field, message }) => `\nWarning: ${field}: ${message}`)
  context.print(facts(texts) + warned.join(''), link)
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

async function remove(context: CommandContext, link: string): Promise<void> {
  const slugline = clientOf(context)
  const id = await findLinkId(slugline, link)
  await slugline.links.delete(id)
  context.print(`${link} is deleted.`, { id, deleted: true })
}

/** Programs that open a URL, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

async function open(
  context: CommandContext,
  text: string,
  { visit }: { visit?: true },
): Promise<void> {
  const login = loginOf(context)
  const link = await findLink(clientAt(login), text)
  const url = visit ? link.short_url : `${login.url}/app/links/${link.id}`
  const opener = OPENERS[process.platform] ?? ['xdg-open']
  const program = Bun.which(opener[0] as string)
  // On a server there may be none: then the URL is printed.
  if (program !== null) {
    Bun.spawn([program, ...opener.slice(1), url], { stdio: ['ignore', 'ignore', 'ignore'] }).unref()
  }
  context.print(url, { id: link.id, url, opened: program !== null })
}
