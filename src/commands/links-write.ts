import type { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import type { Link } from '../links/index.ts'
import { type CommandContext, CommandError } from './context.ts'
import { findFolderId, findLinkId, LINK_ARGUMENT } from './find-link.ts'
import { showLink } from './links-one.ts'
import { type Remote, remoteOf } from './remote.ts'
import { parseMoment } from './times.ts'

interface Options {
  slug?: string
  domain?: string
  title?: string
  notes?: string
  tag?: string[]
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
  data?: string
  dryRun?: true
}

/** `links create | update | upsert` */
export function registerWriteCommands(links: Command, context: CommandContext): void {
  const create = links
    .command('create')
    .description('create a link')
    .argument('<destination>', 'where it leads')
  withFields(create)
    .option('--external-id <id>', "the link's id in your own system")
    .action((destination_url: string, options: Options) =>
      write(context, options, 'POST', async (fields) => ['/links', { destination_url, ...fields }]),
    )
  const update = links
    .command('update')
    .description('change a link; what is not given stays')
    .argument('<link>', LINK_ARGUMENT)
    .argument('[destination]', 'where it leads from now on')
  withFields(update)
    .option('--external-id <id>', "the link's id in your own system; empty: none")
    .action((link: string, destination: string | undefined, options: Options) =>
      write(context, options, 'PATCH', async (fields, ask) => [
        `/links/${await findLinkId(ask, link)}`,
        { ...(destination !== undefined && { destination_url: destination }), ...fields },
      ]),
    )
  const upsert = links
    .command('upsert')
    .description('create the link with an external id, or change the one that has it')
    .argument('<destination>', 'where it leads')
    .requiredOption('--external-id <id>', "the link's id in your own system")
  withFields(upsert).action((destination_url: string, { externalId = '', ...options }: Options) =>
    write(context, options, 'PUT', async (fields) => [
      `/links/external/${encodeURIComponent(externalId)}`,
      { destination_url, ...fields },
    ]),
  )
}

/** Options for the common fields; `--data` accepts all of them. */
function withFields(command: Command): Command {
  const collect = (value: string, before: string[] = []) => [...before, value]
  return command
    .option('--slug <slug>', 'the short name; a random one by default')
    .option('--domain <host>', 'the short domain')
    .option('--title <text>', 'a name for lists; empty: none')
    .option('--notes <text>', 'notes; empty: none')
    .option('--tag <name>', 'a tag, may be repeated; replaces all; empty: none', collect)
    .option('--folder <folder>', "a folder's id or name; empty: none")
    .option('--status <code>', 'redirect with 301, 302, 307 or 308')
    .option('--starts <when>', 'a duration such as 2h, or an RFC 3339 time; empty: none')
    .option('--expires <when>', 'a duration such as 90d, or an RFC 3339 time; empty: none')
    .option('--max-clicks <n>', 'how many people are let through; empty: all')
    .option('--fallback <url>', 'where visitors go while the link is inactive; empty: none')
    .option('--forward-query', "add the visitor's query parameters to the destination")
    .option('--no-forward-query', 'do not add them')
    .option('--enabled', 'redirect')
    .option('--no-enabled', 'do not redirect')
    .option('--archived', 'leave it out of lists')
    .option('--no-archived', 'do not leave it out')
    .option('--rules <file>', 'JSON: the rules, in order; replaces all; - reads stdin')
    .option('--variants <file>', 'JSON: the variants; replaces all; - reads stdin')
    .option('--data <json>', 'fields by their names in the API, such as a password; - reads stdin')
    .option('--dry-run', 'check, and write nothing')
}

type Target = (
  fields: Record<string, unknown>,
  ask: Remote,
) => Promise<[path: string, body: Record<string, unknown>]>

async function write(
  context: CommandContext,
  options: Options,
  method: 'POST' | 'PATCH' | 'PUT',
  target: Target,
): Promise<void> {
  const ask = remoteOf(context)
  const [path, json] = await target(await fieldsOf(ask, options), ask)
  const query = options.dryRun ? { dry_run: 'true' } : {}
  // If something on the way repeats the request, it takes effect once.
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const answer = await ask(path, query, { method, json, headers })
  showLink(context, (await answer.json()) as Link)
}

/** The fields set by options, in the API's form; an empty value clears one. */
async function fieldsOf(ask: Remote, options: Options): Promise<Record<string, unknown>> {
  const { slug, domain, title, notes, tag, folder, externalId, status, starts, expires } = options
  const { maxClicks, fallback, forwardQuery, enabled, archived, rules, variants, data } = options
  const fields = {
    ...{ slug, domain, enabled, archived },
    title: orNull(title),
    notes: orNull(notes),
    tags: tag?.filter((name) => name !== ''),
    folder_id: folder && (await findFolderId(ask, folder)),
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
