import type { Command } from 'commander'
import type { Event } from '../../../sdk/typescript/src/index.ts'
import { type Columns, type CommandContext, checkLimit } from '../context.ts'
import { shortTime } from '../times.ts'
import { clientOf, PATIENT } from './remote.ts'

const PAGE = 100

interface Options {
  after?: string
  types?: string
  limit?: number
  follow?: true
}

/** `events`: what changed in a workspace, in the past and live. */
export function registerEventsCommand(program: Command, context: CommandContext): void {
  program
    .command('events')
    .description('list changes in the workspace, oldest first; with --json, one object per line')
    .option('--after <id>', 'only events after this one, or "latest" (default: from the oldest on)')
    .option('--types <types>', 'only these types, such as link.created,link.deleted')
    .option('--limit <n>', 'maximum number of events (default: 100; with --follow: all)', Number)
    .option('--follow', 'keep running and show new events; stop with Ctrl+C')
    .action((options: Options) => (options.follow ? follow : list)(context, options))
}

/** How an event is shown. */
const COLUMNS: Columns<Event> = {
  ID: ({ id }) => id,
  TYPE: ({ type }) => type,
  OBJECT: ({ object }) => nameOf(object),
  CHANGED: ({ previous }) => Object.keys(previous).join(','),
  ACTOR: ({ actor }) => actor.name ?? actor.id ?? actor.type,
  'AT (UTC)': ({ at }) => shortTime(at),
}

async function list(context: CommandContext, options: Options): Promise<void> {
  const { limit = PAGE, types } = options
  checkLimit(limit)
  const { events } = clientOf(context)
  const found: Event[] = []
  let { after } = options
  for (let left = limit, more = true; more && left > 0; ) {
    const page = { after, types, limit: Math.min(PAGE, left) }
    const { data, pagination } = await events.list(page, left < limit ? PATIENT : {})
    if (context.json) for (const event of data) context.print('', event)
    else found.push(...data)
    left -= data.length
    after = pagination.next_cursor
    more = pagination.has_more
  }
  if (context.json) return
  context.printList(found, 'There are no such events.', COLUMNS)
  context.print(`\nTo continue from here: --after ${after}`, null)
}

/** Runs until Ctrl+C, or until there were as many events as wanted. */
async function follow(context: CommandContext, options: Options): Promise<void> {
  const { limit = Number.POSITIVE_INFINITY, after, types } = options
  if (options.limit !== undefined) checkLimit(limit)
  const print = context.rowPrinter(COLUMNS)
  let shown = 0
  for await (const event of clientOf(context).events.follow({ after, types })) {
    print(event)
    if (++shown === limit) return
  }
}

/** What people know an object by. */
function nameOf(object: Event['object']): string {
  const { short_url, host, name, limit, id } = object
  return String(short_url ?? host ?? name ?? limit ?? id ?? '-')
}
