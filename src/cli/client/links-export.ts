import { type Command, Option } from 'commander'
import { type CommandContext, CommandError } from '../context.ts'
import { clientOf } from './remote.ts'

/** `links export`: the links of a workspace as a table or lines of JSON, over the API. */
export function registerLinkExportCommand(links: Command, context: CommandContext): void {
  links
    .command('export')
    .description('export all links, archived ones too, to a CSV or NDJSON file')
    .requiredOption('--output <file>', 'a file that ends in .csv or .ndjson')
    .addOption(new Option('--excel', 'begin a .csv file so that Excel reads it as UTF-8'))
    .action((options: { output: string; excel?: true }) => write(context, options))
}

async function write(
  context: CommandContext,
  { output: file, excel }: { output: string; excel?: true },
): Promise<void> {
  const format = /\.(csv|ndjson)$/i.exec(file)?.[1]?.toLowerCase()
  if (format === undefined) throw new CommandError('--output ends in .csv or .ndjson', 2)
  if (excel && format !== 'csv') throw new CommandError('--excel is for .csv', 2)
  const { links } = clientOf(context)
  const query = { archived: 'any', order: 'asc' } as const
  const response =
    format === 'csv'
      ? links.exportCsv({ ...query, bom: excel && 'true' })
      : links.exportNdjson(query)
  const bytes = await Bun.write(file, await response)
  context.print(`${file} is written.`, { file, bytes })
}
