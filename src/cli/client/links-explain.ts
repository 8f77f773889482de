import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { findLinkId, LINK_ARGUMENT } from './find-link.ts'
import { clientOf } from './remote.ts'

/** The description of a visitor, with the API's names. */
interface Options {
  at?: string
  userAgent?: string
  country?: string
  region?: string
  language?: string
  query?: string
  path?: string
  referrer?: string
  ip?: string
  password?: string
}

/** `links explain`: where a described visitor would be redirected. */
export function registerExplainCommand(links: Command, context: CommandContext): void {
  links
    .command('explain')
    .description('test where a visitor would be redirected, and why; not counted')
    .argument('<link>', LINK_ARGUMENT)
    .option('--country <code>', 'country, such as DE')
    .option('--region <code>', 'region, such as DE-BE')
    .option('--language <tags>', 'Accept-Language header')
    .option('--user-agent <text>', 'User-Agent header (default: a browser)')
    .option('--referrer <url>', 'referring page')
    .option('--query <text>', 'query string, such as a=1&b=2')
    .option('--path <path>', 'path after the slug')
    .option('--ip <address>', 'IP address')
    .option('--at <time>', 'time of the visit, RFC 3339 (default: now)')
    .option('--password <text>', 'password the visitor enters')
    .action((link: string, options: Options) => explain(context, link, options))
}

async function explain(
  context: CommandContext,
  link: string,
  { userAgent, ...visitor }: Options,
): Promise<void> {
  const slugline = clientOf(context)
  const id = await findLinkId(slugline, link)
  const described = { ...visitor, ...(userAgent !== undefined && { user_agent: userAgent }) }
  const explanation = await slugline.links.explain(id, { visitor: described })
  const { outcome, status, location, rule, variant, steps } = explanation
  const chosen = [rule && `rule ${rule}`, variant && `variant ${variant}`].filter(Boolean)
  const lines = [
    [outcome, status, location, ...chosen].filter((part) => part !== null).join('  '),
    ...steps.map(({ passed, message }) => `${passed ? '✓' : '✗'} ${message}`),
  ]
  context.print(lines.join('\n'), explanation)
}
