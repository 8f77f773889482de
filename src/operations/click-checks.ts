import type { HealthCheck } from './health.ts'

/** So long the counters may lag before somebody should look. */
const LAG_DEGRADED_SECONDS = 60

/** Whether clicks reach the disk. */
export function journalCheck(journal: { readonly healthy: boolean }): HealthCheck {
  return {
    name: 'journal',
    check: () =>
      journal.healthy ? { status: 'ok' } : { status: 'failed', reason: 'not_writable' },
  }
}

/** Whether clicks are counted. Redirects don't need it, so it never makes the instance unready. */
export function workerCheck(worker: { state(): { backlogSeconds: number } }): HealthCheck {
  return {
    name: 'click_worker',
    check: () =>
      worker.state().backlogSeconds > LAG_DEGRADED_SECONDS
        ? { status: 'degraded', reason: 'behind' }
        : { status: 'ok' },
  }
}

/**
 * Whether clicks reach the statistics. Neither redirects nor links need them, so they never make
 * the instance unready: what waits is kept in the journal.
 */
export function statisticsCheck(statistics: {
  state(): {
    running: boolean
    restarts: number
    store: string
    backlogSeconds: number
    since: number
  }
}): HealthCheck {
  return {
    name: 'statistics',
    check() {
      const { running, restarts, store, backlogSeconds, since } = statistics.state()
      if (store !== 'ok' && store !== 'opening') return { status: 'degraded', reason: store }
      // It has never come so far as to open its file.
      if (store === 'opening' && restarts > 0 && !running) {
        return { status: 'degraded', reason: 'not_starting' }
      }
      if (backlogSeconds > LAG_DEGRADED_SECONDS) return { status: 'degraded', reason: 'behind' }
      // Nothing to be done about it: told, and no alarm.
      return since > 0 ? { status: 'ok', reason: 'incomplete' } : { status: 'ok' }
    },
  }
}
