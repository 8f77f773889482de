import type { Command } from 'commander'
import type { Explanation } from '../explain/schemas.ts'
import type { CommandContext } from './context.ts'
import { findLinkId, LINK_ARGUMENT } from './find-link.ts'
import { bodyOf, remoteOf } from './remote.ts'

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
    .description('say where a visitor would go, and why; nothing is counted')
    .argument('<link>', LINK_ARGUMENT)
    .option('--country <code>', 'the country they are in, such as DE')
    .option('--region <code>', 'the region they are in, such as DE-BE')
    .option('--language <tags>', 'their Accept-Language')
    .option('--user-agent <text>', 'their User-Agent; a browser by default')
    .option('--referrer <url>', 'the page that they come from')
    .option('--query <text>', 'the query of the visit, such as a=1&b=2')
    .option('--path <path>', 'what stands behind the slug')
    .option('--ip <address>', 'their address')
    .option('--at <time>', 'when they come, an RFC 3339 time; now by default')
    .option('--password <text>', 'what they enter where the link asks for a password')
    .action((link: string, options: Options) => explain(context, link, options))
}

async function explain(
  context: CommandContext,
  link: string,
  { userAgent, ...visitor }: Options,
): Promise<void> {
  const ask = remoteOf(context)
  const path = `/links/${await findLinkId(ask, link)}/explain`
  const json = { visitor: { ...visitor, user_agent: userAgent } }
  const answer = ask(path, {}, { method: 'POST', json })
  const { data } = await bodyOf<{ data: Explanation }>(answer)
  const { outcome, status, location, rule, variant, steps } = data
  const chosen = [rule && `rule ${rule}`, variant && `variant ${variant}`].filter(Boolean)
  const lines = [
    [outcome, status, location, ...chosen].filter((part) => part !== null).join('  '),
    ...steps.map(({ passed, message }) => `${passed ? '✓' : '✗'} ${message}`),
  ]
  context.print(lines.join('\n'), data)
}
