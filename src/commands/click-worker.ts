import type { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { createLogger } from '../base/logger.ts'
import { type CommandContext, CommandError } from './context.ts'
import { createContext } from './create-context.ts'

/** `click-worker`: what the serving process starts; nobody calls it by hand. */
export function registerClickWorkerCommand(program: Command, context: CommandContext): void {
  program
    .command('click-worker', { hidden: true })
    .requiredOption('--data-dir <dir>', 'the data directory')
    .action(({ dataDir }: { dataDir: string }) => clickWorker(dataDir, context))
}

/** Counts clicks until there is nothing left to count, or the parent is gone. */
export async function clickWorker(dataDir: string, context: CommandContext): Promise<void> {
  const { logLevel, logFormat, scaled, backgroundNiceness: niceness } = context.config
  const { openSharedClickWork, runClickWorker } = await import('../clicks/index.ts')
  const logger = await createLogger({ level: logLevel, format: logFormat })
  if (scaled === null) return runClickWorker({ dataDir, niceness, logger })
  const { nodeOf, openSharedStorage } = await import('./shared-clicks.ts')
  const { no: nodeNo } = await nodeOf(dataDir)
  await runClickWorker({
    dataDir,
    niceness,
    logger,
    open: async () =>
      openSharedClickWork({
        dataDir,
        nodeNo,
        storage: await openSharedStorage(scaled),
        clock: systemClock,
      }),
  })
}

/** The same without the parser, which the worker's start needn't wait for. */
export async function runClickWorkerCommand(args: readonly string[]): Promise<void> {
  const [option, dataDir] = args
  if (option !== '--data-dir' || dataDir === undefined) {
    throw new CommandError('click-worker needs --data-dir <dir>', 2)
  }
  await clickWorker(dataDir, createContext())
}
