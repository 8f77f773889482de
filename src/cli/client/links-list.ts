import { type Command, Option } from 'commander'
import type { Link, LinkList } from '../../features/links/index.ts'
import { type CommandContext, checkLimit } from '../context.ts'
import { findFolderId } from './find-link.ts'
import { bodyOf, remoteOf } from './remote.ts'

const PAGE = 100

interface Options {
  search?: string
  destination?: string
  sort?: string
  tag?: string[]
  folder?: string
  archived?: string
  createdBy?: string
  anyTag?: string[]
  tagged?: string
  hasRules?: string
  hasPassword?: string
  clicked?: string
  limit: number
}

/** `links list`: links of a workspace, from any instance, over its API. */
export function registerListCommand(links: Command, context: CommandContext): void {
  links
    .command('list')
    .description('list links, newest first')
    .option('--search <text>', 'text in the slug, destination, title, tags or external ID')
    .option('--destination <url>', 'links with this destination')
    .option('--tag <name...>', 'links with all of these tags')
    .option('--any-tag <name...>', 'links with one of these tags')
    .option('--folder <folder>', 'folder name or ID, or "none"')
    .addOption(
      new Option('--archived <which>', 'only archived links, or include them').choices([
        'true',
        'any',
      ]),
    )
    .addOption(flag('--tagged', 'links with tags; with "false": without'))
    .addOption(flag('--has-rules', 'links with rules or variants; with "false": without'))
    .addOption(flag('--has-password', 'links with a password; with "false": without'))
    .addOption(flag('--clicked', 'links that were clicked; with "false": never clicked'))
    .option('--created-by <id>', 'ID of the person or key who created them, or "me": this key')
    .option('--sort <field>', 'such as clicks, or relevance with --search')
    .option('--limit <n>', 'maximum number of results', Number, 100)
    .action((options: Options) => list(context, options))
}

function flag(name: string, description: string): Option {
  return new Option(`${name} [is]`, description).choices(['true', 'false']).preset('true')
}

async function list(context: CommandContext, options: Options): Promise<void> {
  const { search, destination, tag = [], folder, archived, sort, limit, createdBy } = options
  const { anyTag, tagged, hasRules, hasPassword, clicked } = options
  checkLimit(limit)
  const ask = remoteOf(context)
  const query = {
    ...(search !== undefined && { search }),
    ...(destination !== undefined && { destination_url: destination }),
    ...(archived !== undefined && { archived }),
    ...(createdBy !== undefined && { created_by: createdBy }),
    ...(anyTag !== undefined && { any_tag: anyTag }),
    ...(tagged !== undefined && { tagged }),
    ...(hasRules !== undefined && { has_rules: hasRules }),
    ...(hasPassword !== undefined && { has_password: hasPassword }),
    ...(clicked !== undefined && { clicked }),
    ...(sort !== undefined && { sort }),
    ...(folder !== undefined && {
      folder_id: folder === 'none' ? folder : await findFolderId(ask, folder),
    }),
    tag,
  }
  const found: Link[] = []
  let next: string | null = null
  do {
    const page: Record<string, string> = { limit: String(Math.min(PAGE, limit - found.length)) }
    if (next !== null) page.cursor = next
    const { data, pagination } = await bodyOf<LinkList>(ask('/links', { ...query, ...page }))
    found.push(...data)
    next = pagination.next_cursor
  } while (next !== null && found.length < limit)
  context.printList(found, 'There are no such links.', {
    ID: ({ id }) => id,
    LINK: ({ short_url }) => short_url,
    STATUS: ({ status }) => status,
    CLICKS: ({ clicks }) => String(clicks.human),
    ...(found.some(({ clicks }) => clicks.imported > 0) && {
      IMPORTED: ({ clicks }: Link) => String(clicks.imported),
    }),
    CREATOR: ({ created_by }) => created_by?.name ?? '',
    DESTINATION: ({ destination_url }) => destination_url,
  })
}
