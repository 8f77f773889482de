import { type Command, Option } from 'commander'
import type { Query } from '../../../sdk/typescript/src/index.ts'
import { CORRECTIONS, EYE_SHAPES, MODULE_SHAPES } from '../../features/qr/drawing.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { findLinkId, LINK_ARGUMENT } from './find-link.ts'
import { clientOf } from './remote.ts'

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
    .action((link: string, options: Options) => write(context, link, options))
}

type Style = Omit<Query<'/links/{id}/qr.svg'>, 'logo'>

interface Options extends Style {
  output: string
  logo?: boolean
  json?: true
}

async function write(
  context: CommandContext,
  link: string,
  { output: file, json: _, logo, ...style }: Options,
): Promise<void> {
  const format = /\.(svg|png)$/i.exec(file)?.[1]?.toLowerCase()
  if (format === undefined) throw new CommandError('--output ends in .svg or .png', 2)
  const slugline = clientOf(context)
  const id = await findLinkId(slugline, link)
  const draw = format === 'svg' ? slugline.links.qrSvg : slugline.links.qrPng
  const picture = await draw(id, { ...style, logo: logo === undefined ? logo : `${logo}` })
  const bytes = await Bun.write(file, await picture.bytes())
  context.print(`${file} is written.`, { id, file, bytes })
}
