import type { Command } from 'commander'
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
  const { logLevel, logFormat } = context.config
  const { runClickWorker } = await import('../clicks/index.ts')
  await runClickWorker({
    dataDir,
    logger: await createLogger({ level: logLevel, format: logFormat }),
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
