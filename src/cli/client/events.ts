import type { Command } from 'commander'
import type { EventList, FeedEvent } from '../../features/events/types.ts'
import { type CommandContext, checkLimit } from '../context.ts'
import { followStream } from './follow-stream.ts'
import { bodyOf, insist, remoteOf } from './remote.ts'

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
    .option('--follow', 'wait for new events, and show each as it comes; stop with Ctrl+C')
    .action((options: Options) => (options.follow ? follow : list)(context, options))
}

/** How an event is shown. */
const COLUMNS = {
  AT: ({ at }: FeedEvent) => at,
  TYPE: ({ type }: FeedEvent) => type,
  OBJECT: ({ object }: FeedEvent) => nameOf(object),
  CHANGED: ({ previous }: FeedEvent) => Object.keys(previous).join(',') || '-',
  ACTOR: ({ actor }: FeedEvent) => actor.name ?? actor.id ?? actor.type,
  ID: ({ id }: FeedEvent) => id,
}

async function list(context: CommandContext, options: Options): Promise<void> {
  const { limit = PAGE } = options
  checkLimit(limit)
  const ask = remoteOf(context)
  let { after, ...query } = queryOf(options)
  const found: FeedEvent[] = []
  for (let left = limit, more = true; more && left > 0; ) {
    const page = { ...query, ...(after !== undefined && { after }) }
    const asked = { ...page, limit: String(Math.min(PAGE, left)) }
    const { data, pagination } = await bodyOf<EventList>(insist(() => ask('/events', asked)))
    if (context.json) for (const event of data) context.print('', event)
    else found.push(...data)
    left -= data.length
    after = pagination.next_cursor
    more = pagination.has_more
  }
  if (context.json) return
  context.printList(found, 'There are no such events.', COLUMNS)
  context.print(`\nTo go on from here: --after ${after}`, null)
}

/** Runs until Ctrl+C, or until there were as many events as wanted. */
async function follow(context: CommandContext, options: Options): Promise<void> {
  const { limit = Number.POSITIVE_INFINITY } = options
  if (options.limit !== undefined) checkLimit(limit)
  let shown = 0
  const stream = followStream<FeedEvent>(remoteOf(context), '/events/stream', queryOf(options))
  for await (const event of stream) {
    const cells = Object.values(COLUMNS).map((cell) => cell(event))
    context.print(cells.join('  '), event)
    if (++shown === limit) return
  }
}

function queryOf({ after, types }: Options): { after?: string; types?: string } {
  return { ...(after !== undefined && { after }), ...(types !== undefined && { types }) }
}

/** What people know an object by. */
function nameOf(object: FeedEvent['object']): string {
  const { short_url, host, name, limit, id } = object
  return String(short_url ?? host ?? name ?? limit ?? id ?? '-')
}
