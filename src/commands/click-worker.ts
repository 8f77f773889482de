import type { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { createLogger } from '../base/logger.ts'
import { type CommandContext, CommandError } from './context.ts'
import { createContext } from './create-context.ts'

/** `click-worker`: started by the serving process. */
export function registerClickWorkerCommand(program: Command, context: CommandContext): void {
  program
    .command('click-worker', { hidden: true })
    .requiredOption('--data-dir <dir>', 'the data directory')
    .action(({ dataDir }: { dataDir: string }) => clickWorker(dataDir, context))
}

/** Shortest time between two passes: a click is in its link's counters soon. */
const LEAST_GAP_MS = 100
const RETRY_MS = 1_000
const IDLE_MS = 15_000

/** Counts clicks until there is nothing left to count, or the serving process is gone. */
export async function clickWorker(dataDir: string, context: CommandContext): Promise<void> {
  const { logLevel, logFormat, scaled, backgroundNiceness } = context.config
  const { createClickCounter, journalDirectory } = await import('../clicks/index.ts')
  const { runWorker } = await import('../workers/index.ts')
  const { openCounters } = await import('../backend/workers.ts')
  const logger = await createLogger({ level: logLevel, format: logFormat })
  const counter = createClickCounter({
    directory: journalDirectory(dataDir),
    store: await openCounters({ dataDir, scaled }),
    clock: systemClock,
    logger,
  })
  await runWorker(counter, {
    niceness: backgroundNiceness,
    leastGapMs: LEAST_GAP_MS,
    retryMs: RETRY_MS,
    idleMs: IDLE_MS,
  })
}

/** The same without the parser, so that the worker starts faster. */
export async function runClickWorkerCommand(args: readonly string[]): Promise<void> {
  const [option, dataDir] = args
  if (option !== '--data-dir' || dataDir === undefined) {
    throw new CommandError('click-worker needs --data-dir <dir>', 2)
  }
  await clickWorker(dataDir, createContext())
}
