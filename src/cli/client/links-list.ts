import { type Command, Option } from 'commander'
import type { Link, Query } from '../../../sdk/typescript/src/index.ts'
import { type CommandContext, checkLimit } from '../context.ts'
import { findFolderId } from './find-link.ts'
import { clientOf } from './remote.ts'

const PAGE = 100

type Filter = Query<'/links'>

/** As the instance takes them; it checks them. */
interface Options
  extends Pick<Filter, 'search' | 'sort' | 'tag' | 'archived' | 'tagged' | 'clicked'> {
  destination?: string
  folder?: string
  createdBy?: string
  anyTag?: string[]
  hasRules?: Filter['has_rules']
  hasPassword?: Filter['has_password']
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
    .action((options: Options) => print(context, options))
}

function flag(name: string, description: string): Option {
  return new Option(`${name} [is]`, description).choices(['true', 'false']).preset('true')
}

async function print(context: CommandContext, options: Options): Promise<void> {
  const { search, sort, tag, archived, tagged, clicked, folder, limit } = options
  checkLimit(limit)
  const slugline = clientOf(context)
  const list = slugline.links.list({
    search,
    sort,
    tag,
    archived,
    tagged,
    clicked,
    limit: Math.min(PAGE, limit),
    destination_url: options.destination,
    created_by: options.createdBy,
    any_tag: options.anyTag,
    has_rules: options.hasRules,
    has_password: options.hasPassword,
    folder_id: folder && folder !== 'none' ? await findFolderId(slugline, folder) : folder,
  })
  const found: Link[] = []
  for await (const link of list) if (found.push(link) === limit) break
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
