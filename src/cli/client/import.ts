import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import { FORMATS } from '../../features/imports/formats/types.ts'
import { CONFLICTS } from '../../features/imports/write.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { facts } from '../output.ts'
import { followJob, type RemoteJob } from './follow-job.ts'
import { type Remote, remoteOf } from './remote.ts'

/** How many refused records are shown. */
const NAMED = 10

const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.ndjson': 'application/x-ndjson',
  '.jsonl': 'application/x-ndjson',
}

interface Options {
  format: string
  mapping?: string
  domain?: string
  onConflict: string
  ifExists?: 'return'
  dryRun?: true
  refused?: string
}

type Job = RemoteJob<
  Record<'created' | 'updated' | 'skipped' | 'refused', number> & {
    imported_clicks?: number
    rows_omitted?: number
  }
>

/** `import FILE`: imports links from a file to the logged-in instance. */
export function registerImportCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('import links from a file (needs `slugline login`)')
    .argument('<file>', 'CSV, NDJSON or JSON, in UTF-8')
    .addOption(
      new Option('--format <name>', 'source format').choices(['auto', ...FORMATS]).default('auto'),
    )
    .option('--mapping <json>', 'column for each field: \'{"destination_url":"Long URL"}\'')
    .option('--domain <host>', "short domain for links whose own domain isn't on this instance")
    .addOption(
      new Option('--on-conflict <how>', 'what to do if a slug exists')
        .choices(CONFLICTS)
        .default('skip'),
    )
    .addOption(
      new Option('--if-exists <what>', 'skip records of existing links').choices(['return']),
    )
    .option('--dry-run', 'preview: check every record without creating links')
    .option('--refused <file>', 'write rejected rows with reasons to a CSV file')
    .action((file: string, options: Options) => run(context, file, options))
}

async function run(context: CommandContext, path: string, options: Options): Promise<void> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new CommandError(`File “${path}” not found`, 2)
  const ask = remoteOf(context)
  const { format, mapping, domain, onConflict: on_conflict, dryRun, refused } = options
  const { ifExists: if_exists } = options
  const query = {
    ...{ format, on_conflict },
    ...(mapping && { mapping }),
    ...(domain && { domain }),
    ...(if_exists && { if_exists }),
    ...(dryRun && { dry_run: 'true' }),
  }
  const type = TYPES[extname(path).toLowerCase()] ?? 'text/csv'
  const answer = await ask('/imports', query, { method: 'POST', type, body: file })
  const job = await followJob(ask, (await answer.json()) as Job, context.json)
  if (refused !== undefined) {
    const rows = await ask(`/imports/${job.id}/rows.csv`, { status: 'refused' })
    await Bun.write(refused, await rows.bytes())
  }
  if (job.status !== 'succeeded') {
    const reason = job.error?.message ?? `The import is ${job.status}.`
    throw new CommandError(`${reason} (${job.id})`, 1, job.error?.code ?? job.status.toUpperCase())
  }
  const counts: NonNullable<Job['result']> = job.result ?? {
    ...{ created: 0, updated: 0, skipped: 0, refused: 0 },
  }
  const shown = {
    [dryRun ? 'would be created' : 'created']: String(counts.created),
    ...{ updated: String(counts.updated), skipped: String(counts.skipped) },
    refused: String(counts.refused),
    ...(counts.imported_clicks && { clicks: String(counts.imported_clicks) }),
    ...(counts.rows_omitted && { 'without a row': String(counts.rows_omitted) }),
    job: job.id,
  }
  const reasons = context.json || counts.refused === 0 ? [] : await reasonsOf(ask, job.id)
  context.print([facts(shown), ...reasons].join('\n'), { id: job.id, ...counts })
}

async function reasonsOf(ask: Remote, id: string): Promise<string[]> {
  const answer = await ask(`/imports/${id}/rows`, { status: 'refused', limit: String(NAMED) })
  const { data, pagination } = (await answer.json()) as {
    data: { row: number; slug: string | null; reasons: { field: string; message: string }[] }[]
    pagination: { has_more: boolean }
  }
  const lines = data.map(({ row, slug, reasons }) => {
    const why = reasons.map(({ field, message }) => `${field}: ${message}`).join(' ')
    return `  record ${row}${slug === null ? '' : ` (${slug})`}: ${why}`
  })
  return ['Refused:', ...lines, ...(pagination.has_more ? ['  and others; see --refused'] : [])]
}
