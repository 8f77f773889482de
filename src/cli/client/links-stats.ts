import { type Command, Option } from 'commander'
import type { Click, Query, Stats } from '../../../sdk/typescript/src/index.ts'
import { BOTS_MODES, LISTED } from '../../statistics/columns.ts'
import type { Columns, CommandContext } from '../context.ts'
import { facts } from '../output.ts'
import { shortTime } from '../times.ts'
import { findLinkId, LINK_ARGUMENT } from './find-link.ts'
import { clientOf } from './remote.ts'

type Parameters = Query<'/stats'> & Query<'/stats/{dimension}'>

interface Options
  extends Pick<Parameters, 'from' | 'to' | 'interval' | 'timezone' | 'bots' | 'limit'> {
  by?: string
  json?: true
}

const OF_LINK = `${LINK_ARGUMENT}; all links without it`

/** `links stats | watch`: clicks in the past, and live. */
export function registerStatisticsCommands(links: Command, context: CommandContext): void {
  const bots = () => new Option('--bots <which>', 'whether to count bots').choices(BOTS_MODES)
  links
    .command('stats')
    .description('show clicks over time, or by country, referrer, browser …')
    .argument('[link]', OF_LINK)
    .addOption(new Option('--by <dimension>', 'show top values of a dimension').choices(LISTED))
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

type Counts = Pick<Stats['totals'], 'clicks' | 'unique' | 'bots'>

const COUNTS = {
  CLICKS: ({ clicks }: Counts) => String(clicks),
  UNIQUE: ({ unique }: Counts) => String(unique),
  BOTS: ({ bots }: Counts) => String(bots),
}

/** How a click is shown. */
const CLICK: Columns<Click> = {
  'AT (UTC)': ({ clicked_at }) => shortTime(clicked_at),
  KIND: ({ kind }) => kind,
  LINK: ({ link_id }) => link_id ?? '',
  DOMAIN: ({ domain }) => domain ?? '',
  COUNTRY: ({ country }) => country ?? '',
  REFERRER: ({ referrer }) => referrer ?? '',
  BROWSER: ({ browser }) => browser ?? '',
  OS: ({ os }) => os ?? '',
}

async function stats(
  context: CommandContext,
  link: string | undefined,
  { by, json: _, ...query }: Options,
): Promise<void> {
  const slugline = clientOf(context)
  const id = link === undefined ? null : await findLinkId(slugline, link)
  if (by === undefined) {
    const body = await (id === null ? slugline.stats.get(query) : slugline.links.stats(id, query))
    const { totals, imported_clicks: imported, series } = body
    const numbers = Object.entries({ ...totals, ...(imported && { imported }) })
    const summary = facts(Object.fromEntries(numbers.map(([name, n]) => [name, String(n)])))
    const columns = {
      'FROM (UTC)': ({ start }: Stats['series'][number]) => shortTime(start),
      ...COUNTS,
    }
    context.print(`${summary}\n\n${context.tableOf(series, columns)}`, body)
    return
  }
  const { data } = await (id === null
    ? slugline.stats.top(by, query)
    : slugline.links.top(id, by, query))
  context.printList(data, 'There are no clicks.', {
    [by.toUpperCase()]: ({ value, short_url, name }) => short_url ?? name ?? value ?? '-',
    ...COUNTS,
  })
}

/** Runs until Ctrl+C; after a disconnect it resumes after the last click. */
async function watch(
  context: CommandContext,
  link: string | undefined,
  bots: Options['bots'],
): Promise<void> {
  const slugline = clientOf(context)
  const link_id = link === undefined ? link : [await findLinkId(slugline, link)]
  const print = context.rowPrinter(CLICK)
  for await (const click of slugline.clicks.follow({ link_id, bots })) print(click)
}
