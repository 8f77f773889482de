import { type Command, Option } from 'commander'
import { CORRECTIONS, EYE_SHAPES, MODULE_SHAPES } from '../../features/qr/drawing.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { findLinkId, LINK_ARGUMENT } from './find-link.ts'
import { remoteOf } from './remote.ts'

/** `links qr`: the QR code of a link as a file, drawn by the instance. */
export function registerQrCommand(links: Command, context: CommandContext): void {
  links
    .command('qr')
    .description("write a link's QR code to a file")
    .argument('<link>', LINK_ARGUMENT)
    .requiredOption('--output <file>', 'a file that ends in .svg or .png')
    .option('--size <pixels>', 'image width and height, 64 to 4096')
    .option('--margin <modules>', 'quiet zone around the code, 0 to 16 modules')
    .option('--dark <color>', 'foreground, #rrggbb or #rrggbbaa')
    .option('--light <color>', 'background, #rrggbb or #rrggbbaa')
    .addOption(new Option('--correction <level>', 'error correction').choices(CORRECTIONS))
    .addOption(new Option('--modules <shape>', 'shape of the modules').choices(MODULE_SHAPES))
    .addOption(new Option('--eyes <shape>', 'shape of the finder patterns').choices(EYE_SHAPES))
    .option('--logo', "put the workspace's logo in the center")
    .option('--no-logo', "no logo, even if the workspace's style has one")
    .action((link: string, { output, json: _, ...style }: Options) => {
      const query = Object.entries(style).map(([name, value]) => [name, String(value)])
      return write(context, link, output, Object.fromEntries(query))
    })
}

interface Options extends Record<string, string | boolean> {
  output: string
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
  const id = await findLinkId(ask, link)
  const picture = await ask(`/links/${id}/qr.${format}`, query)
  const bytes = await Bun.write(file, await picture.bytes())
  context.print(`${file} is written.`, { id, file, bytes })
}
