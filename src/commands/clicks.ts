import type { Command } from 'commander'
import type { LinkCounts, Recounted } from '../clicks/recount.ts'
import type { RawClicksUnavailable, RawSource } from '../statistics/process/raw-source.ts'
import { SEQS_PER_WORKSPACE, type SqliteConnection } from '../storage/index.ts'
import { type CommandContext, CommandError } from './context.ts'
import { onlyWorkspace } from './refusals.ts'
import { table } from './table.ts'

const LINKS_NAMED = 50

const WHY: Record<RawClicksUnavailable['reason'], string> = {
  locked: 'Another process has the statistics open, and does not answer. Try again in a minute.',
  corrupt: 'The statistics file is damaged: bin/slugline doctor says more. Nothing was changed.',
  full: 'There is no space left on the disk. Nothing was changed.',
  failed: "The statistics file can't be read: bin/slugline doctor says more. Nothing was changed.",
  incomplete:
    'The statistics have not all clicks that are counted, so nothing can be compared. Nothing was changed.',
  behind: 'Clicks are still being stored. Try again when the backlog is gone.',
}

/** `clicks recount`: whether the links' counters are what their raw clicks come to. */
export function registerClicksCommands(program: Command, context: CommandContext): void {
  const clicks = program.command('clicks').description('look after the clicks')
  clicks
    .command('recount')
    .description("compare the links' counters with their raw clicks, and mend what differs")
    .option('--workspace <name>', 'of this workspace alone: its name or id')
    .action((options: { workspace?: string }) => recountClicks(context, options.workspace))
}

async function recountClicks(context: CommandContext, workspace?: string): Promise<void> {
  const { dataDir, geoipDatabase, scaled } = context.config
  if (scaled !== null) {
    const { recountSharedClicks } = await import('./recount-shared.ts')
    return recountSharedClicks(context, scaled, workspace)
  }
  const { ensureDataDir } = await import('../config/index.ts')
  const { databaseFiles, migrate, openSqlite } = await import('../storage/index.ts')
  const { recount } = await import('../clicks/recount.ts')
  const { journalDirectory } = await import('../clicks/segments.ts')
  const rawSource = await import('../statistics/process/raw-source.ts')
  ensureDataDir(dataDir)
  await migrate(dataDir)
  const files = databaseFiles(dataDir)
  const main = openSqlite(files.main, { readonly: true })
  const counters = openSqlite(files.counters)
  let source: RawSource | undefined
  try {
    const range = rangeOf(main, workspace)
    source = await rawSource.openRawSource({ dataDir, geoipDatabase })
    const { numbers } = source
    const result = await recount({
      counters,
      main,
      directory: journalDirectory(dataDir),
      range,
      raw: (atLeast) => numbers(range, atLeast),
    })
    print(context, result, main)
  } catch (error) {
    if (!(error instanceof rawSource.RawClicksUnavailable)) throw error
    throw new CommandError(WHY[error.reason], 1, `STATISTICS_${error.reason.toUpperCase()}`)
  } finally {
    await source?.close()
    counters.close()
    main.close()
  }
}

function rangeOf({ raw }: SqliteConnection, workspace?: string): readonly [number, number] {
  if (workspace === undefined) return [0, Number.MAX_SAFE_INTEGER]
  const rows = raw
    .query<{ no: number }, [string, string]>(
      'SELECT no FROM workspaces WHERE id = ? OR name_key = ? LIMIT 2',
    )
    .all(workspace, workspace.toLowerCase())
  const row = onlyWorkspace(rows, workspace)
  return [row.no * SEQS_PER_WORKSPACE, (row.no + 1) * SEQS_PER_WORKSPACE]
}

function print(context: CommandContext, result: Recounted, main: SqliteConnection): void {
  const { links, older, differences, since } = result
  const idOf = main.raw.prepare<{ id: string; slug: string }, [number]>(
    'SELECT id, slug FROM links WHERE seq = ?',
  )
  const named = differences.map(({ linkSeq, counted, clicks }) => ({
    ...(idOf.get(linkSeq) ?? { id: String(linkSeq), slug: '' }),
    counted,
    clicks,
  }))
  const lines = [
    differences.length === 0
      ? `The counters of all ${links} links are what their clicks come to.`
      : `The counters of ${differences.length} of ${links} links were wrong, and are mended:`,
  ]
  if (older > 0) {
    lines.push(
      `${older} links are older than the statistics, which begin at ${new Date(since).toISOString()}: nothing can be said of them.`,
    )
  }
  if (named.length > 0) {
    lines.push(
      table(
        ['link', 'slug', 'counted (people/bots/unique)', 'clicks (people/bots/unique)'],
        named
          .slice(0, LINKS_NAMED)
          .map(({ id, slug, counted, clicks }) => [id, slug, inWords(counted), inWords(clicks)]),
      ),
    )
    if (named.length > LINKS_NAMED) lines.push(`and ${named.length - LINKS_NAMED} more`)
  }
  context.print(lines.join('\n'), {
    links,
    older,
    since: since === 0 ? null : new Date(since).toISOString(),
    mended: differences.length,
    differences: named,
  })
}

function inWords({ human, bot, unique }: LinkCounts): string {
  return `${human}/${bot}/${unique}`
}
