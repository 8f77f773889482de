import { Supervisor, type SupervisorOptions, type WorkerState } from '../../clicks/workers/index.ts'
import type { Retention } from '../engine/types.ts'
import { createStatisticsClient } from './client.ts'
import type { RetentionNotice, StoreReport } from './run.ts'
import type { StoreState } from './store-state.ts'

/** What is known of the statistics process; `stored` counts since the serving process started. */
interface StatisticsState extends WorkerState, Omit<StoreReport, 'state'> {
  /** As it last reported. */
  store: StoreState
}
export type Statistics = ReturnType<typeof createStatistics>
interface StatisticsSupervisorOptions
  extends Pick<SupervisorOptions<never>, 'command' | 'journal' | 'clock' | 'logger' | 'advanced'> {
  /** Days for which each workspace's clicks are kept. */
  retention?: () => Promise<Retention>
}

/**
 * Keeps the statistics process running while there is something to store or to answer. It is
 * started when notified or queried, or if there is a journal at the start: only the process itself
 * knows how far it has stored that.
 */
export function createStatistics({ retention, ...options }: StatisticsSupervisorOptions) {
  const { logger } = options
  let report: StoreReport = {
    state: 'opening',
    since: 0,
    stored: 0,
    fileBytes: 0,
    logCut: false,
  }
  let storedBefore = 0
  const supervisor = new Supervisor<RetentionNotice, StoreReport>({
    ...options,
    name: 'statistics process',
    watermark: { segment: 0, offset: 0 },
    ready(socket) {
      client.ready(socket)
      void sendRetention()
    },
    reported(next) {
      // Only an open file tells since when its clicks are complete.
      report = next.state === 'ok' ? next : { ...next, since: report.since }
    },
    ended() {
      storedBefore += report.stored
      report = { ...report, stored: 0 }
      client.gone()
    },
  })
  const client = createStatisticsClient(supervisor.start, logger)

  async function sendRetention(): Promise<void> {
    if (retention === undefined) return
    try {
      supervisor.notify({ retention: await retention() })
    } catch (err) {
      logger?.warn({ err }, 'The retention of clicks is unknown')
    }
  }

  return {
    client,
    wake: supervisor.wake,
    stop: supervisor.stop,
    state(): StatisticsState {
      const { state, stored, ...facts } = report
      return { ...supervisor.state(), ...facts, store: state, stored: storedBefore + stored }
    },
    /** Sends the process the retention of clicks, starting it if necessary. */
    retentionChanged(): void {
      supervisor.start()
      void sendRetention()
    },
  }
}
