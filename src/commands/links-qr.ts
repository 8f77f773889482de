import { type Command, Option } from 'commander'
import { CORRECTIONS, EYE_SHAPES, MODULE_SHAPES } from '../qr/drawing.ts'
import { type CommandContext, CommandError } from './context.ts'
import { type Remote, remoteOf } from './remote.ts'

/** `links qr`: the QR code of a link as a file, drawn by the instance. */
export function registerQrCommand(links: Command, context: CommandContext): void {
  links
    .command('qr')
    .description("write a link's QR code to a file")
    .argument('<link>', 'its id or slug')
    .requiredOption('--output <file>', 'a file that ends in .svg or .png')
    .option('--size <pixels>', 'the side of the picture, 64 to 4096')
    .option('--margin <modules>', 'empty modules around the code, 0 to 16')
    .option('--dark <colour>', '#rrggbb or #rrggbbaa')
    .option('--light <colour>', '#rrggbb or #rrggbbaa')
    .addOption(new Option('--correction <level>', 'how much may be damaged').choices(CORRECTIONS))
    .addOption(new Option('--modules <shape>', 'the modules').choices(MODULE_SHAPES))
    .addOption(new Option('--eyes <shape>', 'the finder patterns').choices(EYE_SHAPES))
    .option('--logo', "the workspace's logo in the middle")
    .action((link: string, { output, json: _, logo, ...style }: Options) =>
      write(context, link, output, { ...style, ...(logo && { logo: 'true' }) }),
    )
}

interface Options extends Record<string, string> {
  output: string
  logo: 'true'
}

async function write(
  context: CommandContext,
  link: string,
  file: string,
  query: Record<string, string>,
): Promise<void> {
  const format = /\.(svg|png)$/i.exec(file)?.[1]?.toLowerCase()
  if (format === undefined) throw new CommandError('--output ends in .svg or .png', 2)
  const ask = remoteOf(context)
  const id = await idOf(ask, link)
  const picture = await ask(`/links/${id}/qr.${format}`, query)
  const bytes = await Bun.write(file, await picture.bytes())
  context.print(`${file} is written.`, { id, file, bytes })
}

/** @throws CommandError */
async function idOf(ask: Remote, link: string): Promise<string> {
  if (/^lnk_[0-9a-z]{26}$/.test(link)) return link
  const answer = await ask('/links', { search: link, limit: '100' })
  const { data } = (await answer.json()) as { data: { id: string; slug: string }[] }
  const found = data.find(({ slug }) => slug.toLowerCase() === link.toLowerCase())
  if (found === undefined) throw new CommandError(`There is no link ${link}`, 1, 'LINK_NOT_FOUND')
  return found.id
}
