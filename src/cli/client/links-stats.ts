import { type Command, Option } from 'commander'
import { BOTS_MODES, DIMENSIONS } from '../../statistics/columns.ts'
import type { ClickView } from '../../statistics/schemas.ts'
import type { CommandContext } from '../context.ts'
import { facts, table } from '../output.ts'
import { shortTime } from '../times.ts'
import { findLinkId, LINK_ARGUMENT } from './find-link.ts'
import { followStream } from './follow-stream.ts'
import { bodyOf, type Query, remoteOf } from './remote.ts'

interface Options {
  by?: string
  from?: string
  to?: string
  interval?: string
  timezone?: string
  bots?: string
  limit?: string
}

const OF_LINK = `${LINK_ARGUMENT}; all links without it`

/** `links stats | watch`: clicks in the past, and live. */
export function registerStatisticsCommands(links: Command, context: CommandContext): void {
  const bots = () => new Option('--bots <which>', 'bot clicks').choices(BOTS_MODES)
  links
    .command('stats')
    .description('show clicks over time, or by country, referrer, browser …')
    .argument('[link]', OF_LINK)
    .addOption(new Option('--by <dimension>', 'show top values of a dimension').choices(DIMENSIONS))
    .option('--from <time>', 'an RFC 3339 time or a date')
    .option('--to <time>', 'an RFC 3339 time or a date')
    .option('--interval <length>', 'hour, day, week or month')
    .option('--timezone <name>', 'time zone for days, such as Europe/Berlin')
    .addOption(bots())
    .option('--limit <n>', 'maximum number of results, with --by')
    .action((link: string | undefined, options: Options) => stats(context, link, options))
  links
    .command('watch')
    .description('stream clicks; stop with Ctrl+C; with --json, one object per line')
    .argument('[link]', OF_LINK)
    .addOption(bots())
    .action((link: string | undefined, options: Pick<Options, 'bots'>) =>
      watch(context, link, options.bots),
    )
}

interface Counts {
  clicks: number
  unique: number
  bots: number
}
interface Series {
  totals: Counts
  imported_clicks: number | null
  series: (Counts & { start: string })[]
}
interface TopList {
  data: (Counts & { value: string | null; short_url?: string; name?: string | null })[]
}

const COUNTS = {
  CLICKS: ({ clicks }: Counts) => String(clicks),
  UNIQUE: ({ unique }: Counts) => String(unique),
  BOTS: ({ bots }: Counts) => String(bots),
}

async function stats(
  context: CommandContext,
  link: string | undefined,
  { by, json: _, ...query }: Options & { json?: true },
): Promise<void> {
  const ask = remoteOf(context)
  const base = link === undefined ? '/stats' : `/links/${await findLinkId(ask, link)}/stats`
  if (by === undefined) {
    const body = await bodyOf<Series>(ask(base, query as Query))
    const { totals, imported_clicks: imported, series } = body
    const rows = series.map((each) => [
      shortTime(each.start),
      ...Object.values(COUNTS).map((of) => of(each)),
    ])
    const numbers = Object.entries({ ...totals, ...(imported && { imported }) })
    const told = facts(Object.fromEntries(numbers.map(([name, n]) => [name, String(n)])))
    context.print(`${told}\n\n${table(['FROM', ...Object.keys(COUNTS)], rows)}`, body)
    return
  }
  const answer = ask(`${base}/${encodeURIComponent(by)}`, query as Query)
  const { data } = await bodyOf<TopList>(answer)
  context.printList(data, 'There are no clicks.', {
    [by.toUpperCase()]: ({ value, short_url, name }) => short_url ?? name ?? value ?? '-',
    ...COUNTS,
  })
}

/** Runs until Ctrl+C; after a disconnect it resumes after the last click. */
async function watch(
  context: CommandContext,
  link: string | undefined,
  bots: string | undefined,
): Promise<void> {
  const ask = remoteOf(context)
  const query = {
    ...(link !== undefined && { link_id: await findLinkId(ask, link) }),
    ...(bots !== undefined && { bots }),
  }
  for await (const click of followStream<ClickView>(ask, '/clicks/stream', query)) {
    print(context, click)
  }
}

function print(context: CommandContext, click: ClickView): void {
  const { clicked_at, kind, link_id: link, domain, country, referrer, browser, os } = click
  const parts = [clicked_at, kind, link, domain, country, referrer, browser, os]
  context.print(parts.map((part) => part ?? '-').join('  '), click)
}
