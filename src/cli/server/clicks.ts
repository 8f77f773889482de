import type { Command } from 'commander'
import type { LinkCounts } from '../../clicks/recount.ts'
import { COMMAND_LINE, recordInstance } from '../../features/audit/index.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../../platform/storage/index.ts'
import type { Recounted } from '../../server/backend/recount.ts'
import { stateOf } from '../../statistics/process/store-state.ts'
import { type CommandContext, CommandError, type CommandStorage } from '../context.ts'

const LINKS_NAMED = 50

/** Why the statistics file can't be opened. */
const UNAVAILABLE: Partial<Record<ReturnType<typeof stateOf>, string>> = {
  locked: 'Another process has the statistics open. Try again in a minute. Nothing was changed.',
  corrupt: 'The statistics file is damaged: see slugline doctor. Nothing was changed.',
}

/** `clicks recount`: compares the links' counters with their stored clicks. */
export function registerClicksCommands(program: Command, context: CommandContext): void {
  const clicks = program.command('clicks').description('maintain click data')
  clicks
    .command('recount')
    .description('recompute click counters of a stopped instance from stored clicks')
    .option('--workspace <name>', 'only this workspace, by name or ID')
    .action((options: { workspace?: string }) => recountClicks(context, options.workspace))
}

async function recountClicks(context: CommandContext, workspace?: string): Promise<void> {
  const { lockDataDir } = await import('../../server/operations/lock.ts')
  const { recountNodes, recountStopped } = await import('../../server/backend/recount.ts')
  const { config } = context
  await context.withStorage(async (opened) => {
    const { storage } = opened
    const range = await rangeOf(opened, workspace)
    const lock = config.scaled === null ? lockDataDir(config.dataDir) : null
    try {
      const result =
        config.scaled === null
          ? await recountStopped(config, storage, range)
          : await recountNodes(config.scaled, storage, range)
      const { links, differences } = result
      if (differences.length > 0) {
        const label = workspace ?? 'all workspaces'
        const after = { links, repaired: differences.length }
        const entry = { label, at: systemClock.now(), after }
        await recordInstance(storage, COMMAND_LINE, 'instance.clicks_recounted', entry)
      }
      await print(context, result, storage)
    } catch (error) {
      const state = stateOf(error)
      const message = UNAVAILABLE[state]
      if (message === undefined) throw error
      throw new CommandError(message, 1, `STATISTICS_${state.toUpperCase()}`)
    } finally {
      lock?.release()
    }
  })
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
  { links, older, differences, since }: Recounted,
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
      `${older} links were not compared: they are older than the statistics, which begin at ${begin}.`,
    )
  }
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
  const compared = { links, older, since: begin }
  context.print(lines.join('\n'), { ...compared, mended: differences.length, differences: named })
}
