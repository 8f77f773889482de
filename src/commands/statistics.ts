import type { Command } from 'commander'
import { createLogger } from '../base/logger.ts'
import { type CommandContext, CommandError } from './context.ts'
import { createContext } from './create-context.ts'

/** `statistics`: started by the serving process. */
export function registerStatisticsCommand(program: Command, context: CommandContext): void {
  program
    .command('statistics', { hidden: true })
    .requiredOption('--data-dir <dir>', 'the data directory')
    .action(({ dataDir }: { dataDir: string }) => statistics(dataDir, context))
}

/** Stores clicks and answers questions about them until there is no work left. */
export async function statistics(dataDir: string, context: CommandContext): Promise<void> {
  const { logLevel, logFormat, geoipDatabase, scaled, backgroundNiceness } = context.config
  const logger = await createLogger({ level: logLevel, format: logFormat })
  const { runStatistics } = await import('../statistics/process/run.ts')
  const { createEnricher } = await import('../statistics/enrich/index.ts')
  const { storeOpener } = await import('../backend/workers.ts')
  const enricher = createEnricher({ geoipDatabase, logger })
  const opener = await storeOpener({ dataDir, scaled, enrich: enricher.enrich, logger })
  try {
    const { open, retryMs } = opener
    await runStatistics({ dataDir, open, retryMs, niceness: backgroundNiceness, logger })
  } finally {
    await opener.close()
    enricher.close()
  }
}

/** The same without the parser, so that the process starts faster. */
export async function runStatisticsCommand(args: readonly string[]): Promise<void> {
  const [option, dataDir] = args
  if (option !== '--data-dir' || dataDir === undefined) {
    throw new CommandError('statistics needs --data-dir <dir>', 2)
  }
  await statistics(dataDir, createContext())
}
