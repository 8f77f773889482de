import type { Command } from 'commander'
import type { LinkCounts, Recounted } from '../../clicks/recount.ts'
import { COMMAND_LINE, recordInstance } from '../../features/audit/index.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../../platform/storage/index.ts'
import { clicksUnavailable } from '../../statistics/process/clicks-unavailable.ts'
import { type CommandContext, CommandError, type CommandStorage } from '../context.ts'

const LINKS_NAMED = 50

/** `clicks recount`: compares the links' counters with their stored clicks. */
export function registerClicksCommands(program: Command, context: CommandContext): void {
  const clicks = program.command('clicks').description('maintain click data')
  clicks
    .command('recount')
    .description('recompute click counters from stored clicks')
    .option('--workspace <name>', 'only this workspace, by name or ID')
    .action((options: { workspace?: string }) => recountClicks(context, options.workspace))
}

async function recountClicks(context: CommandContext, workspace?: string): Promise<void> {
  const { config } = context
  const { recount } = await import('../../clicks/recount.ts')
  const { embeddedSource, scaledSource } = await import('../../server/backend/recount-sources.ts')
  await context.withStorage(async (opened) => {
    const { storage } = opened
    const range = await rangeOf(opened, workspace)
    const source =
      config.scaled === null
        ? await embeddedSource(config, storage)
        : await scaledSource(config.scaled, storage)
    const result = await recount({ storage, range, ...source }).finally(source.close)
    if (result.behind.length > 0) throw behindError(result.behind, config.scaled !== null)
    const { links, differences } = result
    if (differences.length > 0) {
      const label = workspace ?? 'all workspaces'
      const after = { links, repaired: differences.length }
      const entry = { label, at: systemClock.now(), after }
      await recordInstance(storage, COMMAND_LINE, 'instance.clicks_recounted', entry)
    }
    await print(context, result, storage)
  })
}

function behindError(nodes: readonly string[], isScaled: boolean): Error {
  if (!isScaled) return clicksUnavailable('behind')
  return new CommandError(
    `Nothing was compared: clicks of ${nodes.join(', ')} are not all counted and stored. Start or drain these nodes, or try again when the backlog is gone.`,
    1,
    'NODES_BEHIND',
  )
}

async function rangeOf(
  opened: CommandStorage,
  workspace?: string,
): Promise<readonly [number, number]> {
  if (workspace === undefined) return [0, Number.MAX_SAFE_INTEGER]
  const { no } = await opened.workspaces.get(opened.storage.read, workspace)
  return [no * SEQS_PER_WORKSPACE, (no + 1) * SEQS_PER_WORKSPACE]
}

async function print(
  context: CommandContext,
  { links, older, moving, differences, since }: Recounted,
  { read }: Pick<Storage, 'read'>,
): Promise<void> {
  const named = []
  for (const { linkSeq, counted, clicks } of differences) {
    const found = read.db.selectFrom('links').select(['id', 'slug']).where('seq', '=', linkSeq)
    const link = (await found.executeTakeFirst()) ?? { id: String(linkSeq), slug: '' }
    named.push({ ...link, counted, clicks })
  }
  const begin = since === 0 ? null : new Date(since).toISOString()
  const lines = [
    differences.length === 0
      ? `The counters of all ${links} links match their clicks.`
      : `The counters of ${differences.length} of ${links} links were wrong and are repaired:`,
  ]
  if (older > 0) {
    lines.push(
      `${older} links are older than the statistics, which begin at ${begin}: not compared.`,
    )
  }
  if (moving > 0) lines.push(`${moving} links were clicked all the time: try again for them.`)
  if (named.length > 0) {
    const inWords = ({ human, bot, unique }: LinkCounts) => `${human}/${bot}/${unique}`
    const shown = context.tableOf(named.slice(0, LINKS_NAMED), {
      ID: (link) => link.id,
      SLUG: ({ slug }) => slug,
      'COUNTED (PEOPLE/BOTS/UNIQUE)': ({ counted }) => inWords(counted),
      'CLICKS (PEOPLE/BOTS/UNIQUE)': ({ clicks }) => inWords(clicks),
    })
    lines.push(shown)
  }
  if (named.length > LINKS_NAMED) lines.push(`and ${named.length - LINKS_NAMED} more`)
  const compared = { links, older, moving, since: begin }
  context.print(lines.join('\n'), { ...compared, mended: differences.length, differences: named })
}
