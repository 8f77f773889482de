import { type Command, Option } from 'commander'
import type { Link, LinkChanges, NewLink, Slugline } from '../../../sdk/typescript/src/index.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { parseMoment } from '../times.ts'
import { findFolderId, findLinkId, LINK_ARGUMENT } from './find-link.ts'
import { showLink } from './links-one.ts'
import { clientOf } from './remote.ts'

interface Options {
  slug?: string
  domain?: string
  title?: string
  notes?: string
  tag?: string[]
  addTag?: string[]
  removeTag?: string[]
  folder?: string
  externalId?: string
  status?: string
  starts?: string
  expires?: string
  maxClicks?: string
  fallback?: string
  forwardQuery?: boolean
  enabled?: boolean
  archived?: boolean
  rules?: string
  variants?: string
  slugStyle?: string
  slugLength?: string
  slugPrefix?: string
  data?: string
  dryRun?: true
  ifExists?: 'return'
}

/** `links create | update | upsert` */
export function registerWriteCommands(links: Command, context: CommandContext): void {
  const create = links
    .command('create')
    .description('create a link')
    .argument('<destination>', 'destination URL')
  withFields(create)
    .option('--slug-style <style>', 'random slug of: readable, lowercase, digits or words')
    .option('--slug-length <n>', 'characters of a random slug, 4 to 32')
    .option('--slug-prefix <text>', 'beginning of a random slug; "" for none')
    .option('--external-id <id>', 'ID in your own system')
    .addOption(
      new Option('--if-exists <what>', 'return an existing link with the same fields').choices([
        'return',
      ]),
    )
    .action((destination_url: string, options: Options) =>
      write(context, options, ({ links }, fields, sent) =>
        links.create({ destination_url, ...fields }, sent),
      ),
    )
  const update = links
    .command('update')
    .description("update a link; omitted fields don't change")
    .argument('<link>', LINK_ARGUMENT)
    .argument('[destination]', 'new destination URL')
  withFields(update)
    .option('--external-id <id>', 'ID in your own system; "" clears it')
    .option('--add-tag <name>', 'tag to add; repeatable', collect)
    .option('--remove-tag <name>', 'tag to remove; repeatable', collect)
    .action((link: string, destination: string | undefined, options: Options) =>
      write(context, options, async (slugline, fields, sent) => {
        const moved = destination !== undefined && { destination_url: destination }
        const id = await findLinkId(slugline, link)
        return slugline.links.update(id, { ...moved, ...fields }, sent)
      }),
    )
  const upsert = links
    .command('upsert')
    .description('create or update a link by external ID')
    .argument('<destination>', 'destination URL')
    .requiredOption('--external-id <id>', 'ID in your own system')
  withFields(upsert).action((destination_url: string, { externalId = '', ...options }: Options) =>
    write(context, options, ({ links }, fields, sent) =>
      links.putByExternalId(externalId, { destination_url, ...fields }, sent),
    ),
  )
}

const collect = (value: string, before: string[] = []) => [...before, value]

/** Options for the common fields; `--data` accepts all of them. */
function withFields(command: Command): Command {
  return command
    .option('--slug <slug>', 'slug (default: random)')
    .option('--domain <host>', 'short domain')
    .option('--title <text>', 'title; "" clears it')
    .option('--notes <text>', 'notes; "" clears them')
    .option('--tag <name>', 'tag; repeatable; replaces all tags; "" clears them', collect)
    .option('--folder <folder>', 'folder name or ID; "" removes it from its folder')
    .option('--status <code>', 'redirect status: 301, 302, 307 or 308')
    .option('--starts <when>', 'duration such as 2h, or RFC 3339 time; "" clears it')
    .option('--expires <when>', 'duration such as 90d, or RFC 3339 time; "" clears it')
    .option('--max-clicks <n>', 'maximum number of clicks by people; "" clears it')
    .option('--fallback <url>', 'fallback URL while the link is inactive; "" clears it')
    .option('--forward-query', 'forward query parameters to the destination')
    .option('--no-forward-query', "don't forward query parameters")
    .option('--enabled', 'enable the link')
    .option('--no-enabled', 'disable the link')
    .option('--archived', 'archive the link')
    .option('--no-archived', 'unarchive the link')
    .option('--rules <file>', 'JSON file with the rules in order; replaces all; - for stdin')
    .option('--variants <file>', 'JSON file with the variants; replaces all; - for stdin')
    .option('--data <json>', 'API fields as JSON, such as a password; - for stdin')
    .option('--dry-run', 'check without writing')
}

/** Fields of a link as options set them; the instance checks them. */
type Fields = Omit<NewLink, 'destination_url'> & LinkChanges

type Request = (
  slugline: Slugline,
  fields: Fields,
  sent: { query: { dry_run?: 'true' | undefined; if_exists?: 'return' | undefined } },
) => Promise<Link>

async function write(context: CommandContext, options: Options, send: Request): Promise<void> {
  const slugline = clientOf(context)
  const fields = await fieldsOf(slugline, options)
  const { dryRun, ifExists } = options
  const query = { dry_run: dryRun && ('true' as const), if_exists: ifExists }
  showLink(context, await send(slugline, fields, { query }))
}

/** The fields set by options, in the API's form; an empty value clears one. */
async function fieldsOf(slugline: Slugline, options: Options): Promise<Fields> {
  const { slug, domain, title, notes, tag, folder, externalId, status, starts, expires } = options
  const { maxClicks, fallback, forwardQuery, enabled, archived, rules, variants, data } = options
  const fields = {
    slug,
    domain,
    enabled,
    archived,
    slug_style: options.slugStyle,
    slug_prefix: options.slugPrefix,
    slug_length: numberOf(options.slugLength),
    title: orNull(title),
    notes: orNull(notes),
    tags: tag?.filter((name) => name !== ''),
    add_tags: options.addTag,
    remove_tags: options.removeTag,
    folder_id: folder && (await findFolderId(slugline, folder)),
    external_id: orNull(externalId),
    redirect_status: numberOf(status),
    forward_query: forwardQuery,
    starts_at: momentOf('--starts', starts),
    expires_at: momentOf('--expires', expires),
    max_clicks: numberOf(maxClicks),
    fallback_url: orNull(fallback),
    ...(folder === '' && { folder_id: null }),
    rules: rules && (await listIn('--rules', rules)),
    variants: variants && (await listIn('--variants', variants)),
  }
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(given), ...(data !== undefined && (await dataOf(data))) }
}

const orNull = (text: string | undefined) => (text === '' ? null : text)

/** Non-numbers are passed on, because the instance reports the fault. */
function numberOf(text: string | undefined): number | string | null | undefined {
  if (text === undefined || text === '') return orNull(text)
  return Number.isNaN(Number(text)) ? text : Number(text)
}

function momentOf(option: string, text: string | undefined): string | null | undefined {
  if (text === undefined || text === '') return orNull(text)
  return new Date(parseMoment(option, text, systemClock.now())).toISOString()
}

/** Faults of a list are left for the instance to report. */
async function listIn(option: string, file: string): Promise<unknown> {
  let text: string
  try {
    text = await (file === '-' ? Bun.stdin : Bun.file(file)).text()
  } catch {
    throw new CommandError(`${option}: ${file} can’t be read`, 1)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${option}: ${file} is not JSON`, 2)
  }
}

async function dataOf(text: string): Promise<object> {
  try {
    const value: unknown = JSON.parse(text === '-' ? await Bun.stdin.text() : text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported below.
  }
  throw new CommandError('--data is not a JSON object', 2)
}
