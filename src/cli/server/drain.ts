import type { Command } from 'commander'
import { createLogger } from '../../lib/base/logger.ts'
import type { ScaledConfig } from '../../platform/config/index.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { isAway } from './stand-by.ts'

/** `drain`: processes the rest of the journal of a node that has been stopped for good. */
export function registerDrainCommand(program: Command, context: CommandContext): void {
  program
    .command('drain')
    .description('store the remaining clicks of a stopped node before you remove it')
    .option('--within <seconds>', 'time limit', '300')
    .action(({ within }: { within: string }) => drain(context, Number(within)))
}

async function drain(context: CommandContext, seconds: number): Promise<void> {
  if (!(seconds > 0)) throw new CommandError('--within takes a number of seconds', 2)
  const { dataDir, scaled, geoipDatabase, plansFile, logLevel, logFormat } = context.config
  if (scaled === null) {
    const message = 'DATABASE_URL is not set: drain is only for one of several nodes'
    throw new CommandError(message, 1, 'NOT_SCALED')
  }
  const { lockDataDir } = await import('../../server/operations/lock.ts')
  const { drainJournal } = await import('../../server/backend/drain.ts')
  const { journalDirectory, listSegments } = await import('../../clicks/index.ts')
  const logger = await createLogger({ level: logLevel, format: logFormat })
  const lock = lockDataDir(dataDir)
  try {
    await assertBelongs({ dataDir, scaled })
    const segments = listSegments(journalDirectory(dataDir)).length
    const withinMs = seconds * 1_000
    const result = await drainJournal({
      dataDir,
      scaled,
      geoipDatabase,
      plansFile,
      logger,
      withinMs,
    })
    const drained = result.counted && result.stored
    const human = drained
      ? 'All clicks of this journal are counted and stored: the disk can be removed.'
      : 'Some clicks are not counted or stored yet: keep the disk, and try again.'
    context.print(human, { drained, ...result, segments })
    if (!drained) context.failed()
  } finally {
    lock.release()
  }
}

/** Whether the database is the journal's. While it is down, draining waits for it. @throws OperatorError */
async function assertBelongs(settings: { dataDir: string; scaled: ScaledConfig }): Promise<void> {
  const { openShared } = await import('../../server/backend/databases.ts')
  const { assertShared } = await import('../../server/backend/shared-instance.ts')
  const storage = await openShared(settings.scaled)
  await assertShared(settings, storage)
    .catch((error) => {
      if (!isAway(settings, error)) throw error
    })
    .finally(storage.close)
}
