import { type Command, Option } from 'commander'
import type { Link, LinkList } from '../links/index.ts'
import { type CommandContext, CommandError } from './context.ts'
import { type Remote, remoteOf } from './remote.ts'

const PAGE = 100

interface Options {
  search?: string
  tag?: string[]
  folder?: string
  archived?: string
  limit: number
}

/** `links list`: links of a workspace, from any instance, by its API. */
export function registerListCommand(links: Command, context: CommandContext): void {
  links
    .command('list')
    .description('list links, the newest first; SLUGLINE_URL says where they are')
    .option('--search <text>', 'a part of the slug, destination, title, a tag or the external id')
    .option('--tag <name...>', 'links with this tag; several: with all of them')
    .option('--folder <folder>', "a folder's id or name, or none")
    .addOption(
      new Option('--archived <which>', 'archived links: alone, or as well').choices([
        'true',
        'any',
      ]),
    )
    .option('--limit <n>', 'at most so many', Number, 100)
    .action((options: Options) => list(context, options))
}

async function list(context: CommandContext, options: Options): Promise<void> {
  const { search, tag = [], folder, archived, limit } = options
  if (!Number.isInteger(limit) || limit < 1) throw new CommandError('--limit is a number', 2)
  const ask = remoteOf(context)
  const query = {
    ...(search !== undefined && { search }),
    ...(archived !== undefined && { archived }),
    ...(folder !== undefined && { folder: await folderId(ask, folder) }),
    tag,
  }
  const found: Link[] = []
  let next: string | null = null
  do {
    const page: Record<string, string> = { limit: String(Math.min(PAGE, limit - found.length)) }
    if (next !== null) page.cursor = next
    const { data, pagination } = (await (
      await ask('/links', { ...query, ...page })
    ).json()) as LinkList
    found.push(...data)
    next = pagination.next_cursor
  } while (next !== null && found.length < limit)
  const lines = found.map(({ id, short_url, destination_url, clicks, status }) =>
    [id, short_url, status, String(clicks.human), destination_url].join('  '),
  )
  context.print(lines.length === 0 ? 'There are no such links.' : lines.join('\n'), { data: found })
}

/** The id of a folder by its id or name. @throws CommandError */
async function folderId(ask: Remote, folder: string): Promise<string> {
  if (folder === 'none' || /^fld_[0-9a-z]{26}$/.test(folder)) return folder
  const answer = await ask('/folders', { search: folder, limit: String(PAGE) })
  const { data } = (await answer.json()) as { data: { id: string; name: string }[] }
  const named = data.filter(({ name }) => name.toLowerCase() === folder.toLowerCase())
  const [only] = named
  if (only === undefined) {
    throw new CommandError(`There is no folder ${folder}`, 1, 'FOLDER_NOT_FOUND')
  }
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ')
    throw new CommandError(`${named.length} folders are called ${folder}; give an id: ${ids}`, 2)
  }
  return only.id
}
