import { type Child, type ChildOptions, type ChildState, createChild } from '../../clicks/index.ts'
import { createStatisticsClient, type StatisticsClient } from './client.ts'
import type { FromStatistics, Retention, StoreState } from './messages.ts'

/** What is known of the statistics process. */
export interface StatisticsState extends ChildState {
  /** How its file does, as it last said. */
  store: StoreState
  /** Clicks stored since this start. */
  stored: number
  fileBytes: number
  /** Time from which all clicks are in the file, in milliseconds; 0: all, as far as is known. */
  since: number
}

/** Keeps the statistics process running while there is something to store or to answer. */
export interface Statistics extends Pick<Child, 'poke' | 'stop'> {
  readonly client: StatisticsClient
  state(): StatisticsState
  /** Tells the process for how long clicks are kept, and starts it to do so. */
  retentionChanged(): void
}

/** What it works with. */
export interface StatisticsSupervisorOptions
  extends Pick<ChildOptions, 'command' | 'journal' | 'clock' | 'logger'> {
  /** Days for which each workspace's clicks are kept. */
  retention?: () => Promise<Retention>
  /** The process has come further. */
  advanced?: () => void
}

/**
 * Starts nothing until there is a poke, a question, or a journal from before: only the process
 * itself knows how far it has come.
 */
export function createStatistics(options: StatisticsSupervisorOptions): Statistics {
  const { retention, advanced, logger } = options
  let store: StoreState = 'opening'
  let stored = 0
  let storedBefore = 0
  let fileBytes = 0
  let since = 0
  const child = createChild({
    command: options.command,
    journal: options.journal,
    clock: options.clock,
    logger,
    name: 'statistics process',
    watermark: { segment: 0, offset: 0 },
    heard(message) {
      const said = message as FromStatistics
      if (said.kind === 'ready') {
        client.ready(said.socket)
        void tellRetention()
        return null
      }
      store = said.state
      stored = storedBefore + said.stored
      fileBytes = said.fileBytes
      // Nothing of where it is, is known before the file is open.
      if (said.state !== 'ok') return null
      since = said.since
      if (advanced !== undefined) queueMicrotask(advanced)
      return said
    },
    ended() {
      storedBefore = stored
      client.gone()
    },
  })
  const client = createStatisticsClient(child.wake, logger)

  async function tellRetention(): Promise<void> {
    if (retention === undefined) return
    try {
      child.tell({ kind: 'retention', retention: await retention() })
    } catch (err) {
      logger?.warn({ err }, 'Nobody knows for how long clicks are kept')
    }
  }

  return {
    client,
    poke: child.poke,
    stop: child.stop,
    state: () => ({ ...child.state(), store, stored, fileBytes, since }),
    retentionChanged() {
      child.wake()
      void tellRetention()
    },
  }
}
