import type { ClickLimits } from '../../clicks/index.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { createLogger } from '../../lib/base/logger.ts'
import { OWNER_COMMAND } from '../../statistics/process/owner.ts'
import { CommandError, createContext } from '../context.ts'

/** How the click worker reads the journal, so that clicks soon appear in counters. */
const COUNTING = { leastGapMs: 100, retryMs: 1_000, idleMs: 15_000 }

/** Helper processes that the serving process starts from this program, by command. */
const HELPERS = {
  'click-worker': countClicks,
  statistics: storeClicks,
  [OWNER_COMMAND]: tellOwner,
}

/** Whether a command is a helper, which only the serving process uses. */
export function isHelper(command: string | undefined): command is keyof typeof HELPERS {
  return command !== undefined && Object.hasOwn(HELPERS, command)
}

/** Runs a helper without the command-line parser, so that it starts faster. */
export async function runHelper(
  command: keyof typeof HELPERS,
  [option, dataDir, limits = '{}']: readonly string[],
): Promise<void> {
  if (option !== '--data-dir' || dataDir === undefined) {
    throw new CommandError(`${command} needs --data-dir <dir>`, 2)
  }
  await HELPERS[command](dataDir, JSON.parse(limits))
}

/** Counts clicks until there are none left, or the serving process has ended. */
async function countClicks(dataDir: string, limits: ClickLimits): Promise<void> {
  const { logLevel, logFormat, scaled, backgroundNiceness } = createContext().config
  const { createClickCounter, journalDirectory } = await import('../../clicks/index.ts')
  const { runWorker } = await import('../../clicks/workers/index.ts')
  const { openCounters } = await import('../../server/backend/workers.ts')
  const logger = await createLogger({ level: logLevel, format: logFormat })
  const counter = createClickCounter({
    directory: journalDirectory(dataDir),
    store: await openCounters({ dataDir, scaled, limits }),
    clock: systemClock,
    logger,
  })
  await runWorker(counter, { niceness: backgroundNiceness, ...COUNTING })
}

/** Stores clicks and answers queries until there is no work left. */
async function storeClicks(dataDir: string, limits: ClickLimits): Promise<void> {
  const { logLevel, logFormat, geoipDatabase, scaled, backgroundNiceness } = createContext().config
  const logger = await createLogger({ level: logLevel, format: logFormat })
  const { runStatistics } = await import('../../statistics/process/run.ts')
  const { createEnricher } = await import('../../clicks/enrich/index.ts')
  const { storeOpener } = await import('../../server/backend/workers.ts')
  const enricher = createEnricher({ geoipDatabase, logger })
  const opener = await storeOpener({ dataDir, scaled, limits, enrich: enricher.enrich, logger })
  try {
    const { open, retryMs } = opener
    await runStatistics({ dataDir, open, retryMs, niceness: backgroundNiceness, logger })
  } finally {
    await opener.close()
    enricher.close()
  }
}

/** Prints whether the statistics belong to the links beside them. */
async function tellOwner(dataDir: string): Promise<void> {
  const { answerOwner } = await import('../../statistics/process/owner.ts')
  console.log(JSON.stringify(await answerOwner(dataDir)))
}
