import type { Command } from 'commander'
import { createLogger, type Logger } from '../base/logger.ts'
import type { ClickRecord } from '../clicks/record.ts'
import type { ScaledConfig } from '../config/index.ts'
import type { StatisticsOptions } from '../statistics/process/run.ts'
import type { Click } from '../statistics/types.ts'
import { type CommandContext, CommandError } from './context.ts'
import { createContext } from './create-context.ts'

/**
 * A server that is away refuses at once, and is asked often: when it is back, its clicks shouldn't wait.
 * A file that can't be opened or written is tried at some cost.
 */
const RETRY_MS = { own: 5_000, shared: 500 }

type Enrich = (record: ClickRecord) => Click

/** `statistics`: what the serving process starts; nobody calls it by hand. */
export function registerStatisticsCommand(program: Command, context: CommandContext): void {
  program
    .command('statistics', { hidden: true })
    .requiredOption('--data-dir <dir>', 'the data directory')
    .action(({ dataDir }: { dataDir: string }) => statistics(dataDir, context))
}

/** Stores clicks and answers questions about them until nobody wants anything any more. */
export async function statistics(dataDir: string, context: CommandContext): Promise<void> {
  const { logLevel, logFormat, geoipDatabase, scaled, backgroundNiceness } = context.config
  const logger = await createLogger({ level: logLevel, format: logFormat })
  const { runStatistics } = await import('../statistics/process/run.ts')
  const { createEnricher } = await import('../statistics/enrich/index.ts')
  const enricher = createEnricher({ geoipDatabase, logger })
  const { enrich } = enricher
  const opener =
    scaled === null
      ? await ownOpener(dataDir, enrich)
      : await sharedOpener({ dataDir, scaled, enrich, logger })
  try {
    await runStatistics({
      dataDir,
      open: opener.open,
      retryMs: opener.retryMs,
      niceness: backgroundNiceness,
      logger,
    })
  } finally {
    await opener.close()
    enricher.close()
  }
}

/** Where clicks are kept, and how what was opened for it is closed. */
interface Opener {
  open: StatisticsOptions['open']
  retryMs: number
  close(): void | Promise<void>
}

async function ownOpener(dataDir: string, enrich: Enrich): Promise<Opener> {
  const { openOwnStore } = await import('../statistics/process/store.ts')
  const { createLinkFacts } = await import('../statistics/link-facts.ts')
  const { databaseFiles } = await import('../storage/index.ts')
  const facts = createLinkFacts(databaseFiles(dataDir).main)
  return {
    open: (clock) => openOwnStore(dataDir, { clock, enrich, facts }),
    retryMs: RETRY_MS.own,
    close: facts.close,
  }
}

async function sharedOpener(options: {
  dataDir: string
  scaled: ScaledConfig
  enrich: Enrich
  logger: Logger
}): Promise<Opener> {
  const { openSharedClicks } = await import('./shared-clicks.ts')
  const shared = await openSharedClicks(options)
  return { open: shared.openStore, retryMs: RETRY_MS.shared, close: shared.close }
}

/** The same without the parser, which the process's start needn't wait for. */
export async function runStatisticsCommand(args: readonly string[]): Promise<void> {
  const [option, dataDir] = args
  if (option !== '--data-dir' || dataDir === undefined) {
    throw new CommandError('statistics needs --data-dir <dir>', 2)
  }
  await statistics(dataDir, createContext())
}
