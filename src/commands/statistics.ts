import type { Command } from 'commander'
import { createLogger } from '../base/logger.ts'
import { type CommandContext, CommandError } from './context.ts'
import { createContext } from './create-context.ts'

/** `statistics`: what the serving process starts; nobody calls it by hand. */
export function registerStatisticsCommand(program: Command, context: CommandContext): void {
  program
    .command('statistics', { hidden: true })
    .requiredOption('--data-dir <dir>', 'the data directory')
    .action(({ dataDir }: { dataDir: string }) => statistics(dataDir, context))
}

/** Stores clicks and answers questions about them until nobody wants anything any more. */
export async function statistics(dataDir: string, context: CommandContext): Promise<void> {
  const { logLevel, logFormat, geoipDatabase } = context.config
  const logger = await createLogger({ level: logLevel, format: logFormat })
  const { runStatistics } = await import('../statistics/process/run.ts')
  const { createEnricher } = await import('../statistics/enrich/index.ts')
  const { createReports } = await import('../statistics/reports/index.ts')
  const { createLinkFacts } = await import('../statistics/link-facts.ts')
  const { databaseFiles } = await import('../storage/index.ts')
  const enricher = createEnricher({ geoipDatabase, logger })
  const facts = createLinkFacts(databaseFiles(dataDir).main)
  try {
    await runStatistics({
      dataDir,
      enrich: enricher.enrich,
      createReports: (database) => createReports(database, { facts }),
      logger,
    })
  } finally {
    facts.close()
    enricher.close()
  }
}

/** The same without the parser, which the process's start needn't wait for. */
export async function runStatisticsCommand(args: readonly string[]): Promise<void> {
  const [option, dataDir] = args
  if (option !== '--data-dir' || dataDir === undefined) {
    throw new CommandError('statistics needs --data-dir <dir>', 2)
  }
  await statistics(dataDir, createContext())
}
