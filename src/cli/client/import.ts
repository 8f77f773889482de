import { basename, extname } from 'node:path'
import { type Command, Option } from 'commander'
import type { Query, Slugline } from '../../../sdk/typescript/src/index.ts'
import { FORMATS } from '../../features/imports/formats/types.ts'
import { CONFLICTS } from '../../features/imports/write.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { facts } from '../output.ts'
import { findFolderId } from './find-link.ts'
import { followJob } from './follow-job.ts'
import { clientOf } from './remote.ts'

/** How many refused records are shown. */
const NAMED = 10

const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.ndjson': 'application/x-ndjson',
  '.jsonl': 'application/x-ndjson',
}

type Parameters = Query<'/imports', 'post'>

interface Options extends Pick<Parameters, 'format' | 'mapping' | 'domain'> {
  folder?: string
  onConflict: Parameters['on_conflict']
  ifExists?: 'return'
  dryRun?: true
  refused?: string
}

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
    .option('--folder <folder>', 'name or ID of the folder of all links')
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
  const slugline = clientOf(context)
  const { format, mapping, domain, onConflict: on_conflict, dryRun: dry_run, refused } = options
  const { ifExists: if_exists, folder } = options
  const folder_id = folder && (await findFolderId(slugline, folder))
  const names = { file_name: basename(path), domain, folder_id }
  const query = { format, mapping, on_conflict, if_exists, dry_run, ...names }
  const type = TYPES[extname(path).toLowerCase()] ?? 'text/csv'
  const accepted = await slugline.imports.create({ data: file, type }, { query })
  const job = await followJob(slugline, accepted, context.json)
  if (refused !== undefined) {
    const rows = await slugline.imports.exportRowsCsv(job.id, { status: ['refused'] })
    await Bun.write(refused, await rows.bytes())
  }
  if (job.status !== 'succeeded') {
    const reason = job.error?.message ?? `The import is ${job.status}.`
    throw new CommandError(`${reason} (${job.id})`, 1, job.error?.code ?? job.status.toUpperCase())
  }
  const counts = { created: 0, updated: 0, skipped: 0, refused: 0, ...job.result }
  const shown = {
    [dry_run ? 'would be created' : 'created']: String(counts.created),
    updated: String(counts.updated),
    skipped: String(counts.skipped),
    refused: String(counts.refused),
    ...(counts.imported_clicks && { clicks: String(counts.imported_clicks) }),
    ...(counts.rows_omitted && { 'rows not kept': String(counts.rows_omitted) }),
    job: job.id,
  }
  const reasons = context.json || counts.refused === 0 ? [] : await reasonsOf(slugline, job.id)
  context.print([facts(shown), ...reasons].join('\n'), { id: job.id, ...counts })
}

async function reasonsOf({ imports }: Slugline, id: string): Promise<string[]> {
  const refused = imports.rows(id, { status: ['refused'], limit: NAMED })
  const { data, pagination } = await refused.page()
  const lines = data.map(({ row, slug, reasons }) => {
    const why = reasons.map(({ field, message }) => `${field}: ${message}`).join(' ')
    return `  record ${row}${slug === null ? '' : ` (${slug})`}: ${why}`
  })
  return ['Refused:', ...lines, ...(pagination.has_more ? ['  and more; see --refused'] : [])]
}
