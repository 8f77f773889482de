import type { Command } from 'commander'
import { createLogger } from '../base/logger.ts'
import { type CommandContext, CommandError } from './context.ts'

const SECONDS = '300'

/** `drain`: what a node that doesn't run any more has left in its journal. */
export function registerDrainCommand(program: Command, context: CommandContext): void {
  program
    .command('drain')
    .description("count and store what a stopped node's journal holds, before its disk goes")
    .option('--within <seconds>', 'give up after so long', SECONDS)
    .action(({ within }: { within: string }) => drain(context, Number(within)))
}

async function drain(context: CommandContext, seconds: number): Promise<void> {
  if (!(seconds > 0)) throw new CommandError('--within takes a number of seconds', 2)
  const { dataDir, scaled, geoipDatabase, logLevel, logFormat } = context.config
  if (scaled === null) {
    throw new CommandError(
      'DATABASE_URL is not set: one machine alone keeps its clicks itself.',
      1,
      'NOT_SCALED',
    )
  }
  const { lockDataDir } = await import('../operations/index.ts')
  const { drainJournal } = await import('./drain-journal.ts')
  const { journalDirectory, listSegments } = await import('../clicks/index.ts')
  const logger = await createLogger({ level: logLevel, format: logFormat })
  const lock = lockDataDir(dataDir)
  try {
    const before = listSegments(journalDirectory(dataDir)).length
    const { counted, stored } = await drainJournal({
      dataDir,
      scaled,
      geoipDatabase,
      logger,
      withinMs: seconds * 1_000,
    })
    const isDone = counted && stored
    context.print(
      isDone
        ? 'Every click of this journal is counted and stored.'
        : 'Clicks are left in this journal: keep its disk, and try again.',
      { drained: isDone, counted, stored, segments: before },
    )
    if (!isDone) context.failed()
  } finally {
    lock.release()
  }
}
