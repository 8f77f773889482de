import { statSync } from 'node:fs'
import { databaseFiles } from '../storage/index.ts'
import type { Metrics } from './metrics.ts'

/** The numbers that the parts of the click path keep themselves. */
export interface ClickNumbers {
  journal: { readonly lost: number; readonly healthy: boolean }
  supervisor: {
    state(): {
      running: boolean
      backlogBytes: number
      backlogSeconds: number
      restarts: number
      skipped: number
    }
  }
  redirect: { readonly counts: Readonly<Record<string, number>> }
}

/** Puts redirects, the journal and the worker among the metrics. */
export function watchClicks(metrics: Metrics, { journal, supervisor, redirect }: ClickNumbers) {
  metrics.watchRedirects(redirect.counts)
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.watch({ name, help, type: 'gauge', read })
  const counter = (name: string, help: string, read: () => number) =>
    metrics.watch({ name, help, type: 'counter', read })
  counter('clicks_lost_total', 'Clicks dropped while the disk refused them', () => journal.lost)
  gauge('journal_healthy', '1 while clicks reach the disk', () => Number(journal.healthy))
  gauge('click_worker_running', '1 while the click worker runs', () =>
    Number(supervisor.state().running),
  )
  gauge(
    'click_backlog_bytes',
    'Journal that is not counted yet',
    () => supervisor.state().backlogBytes,
  )
  gauge(
    'click_backlog_seconds',
    'How far the counters are behind',
    () => supervisor.state().backlogSeconds,
  )
  counter(
    'click_worker_restarts_total',
    'How often the click worker died',
    () => supervisor.state().restarts,
  )
  counter(
    'journal_damaged_lines_total',
    'Lines that the worker could not read',
    () => supervisor.state().skipped,
  )
}

/** The numbers of the statistics process. */
export interface StatisticsNumbers {
  state(): {
    running: boolean
    store: string
    backlogBytes: number
    backlogSeconds: number
    restarts: number
    skipped: number
    stored: number
    fileBytes: number
    since: number
  }
}

/** Puts the statistics process among the metrics. */
export function watchStatistics(metrics: Metrics, statistics: StatisticsNumbers): void {
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.watch({ name: `statistics_${name}`, help, type: 'gauge', read })
  const counter = (name: string, help: string, read: () => number) =>
    metrics.watch({ name: `statistics_${name}`, help, type: 'counter', read })
  const { state } = statistics
  gauge('running', '1 while the statistics process runs', () => Number(state().running))
  gauge('healthy', '0 while its file can not be used', () =>
    Number(['ok', 'opening'].includes(state().store)),
  )
  gauge('backlog_bytes', 'Journal that is not stored yet', () => state().backlogBytes)
  gauge('backlog_seconds', 'How far the statistics are behind', () => state().backlogSeconds)
  gauge('file_bytes', 'Size of the statistics file and its log', () => state().fileBytes)
  gauge(
    'begin_seconds',
    'Time from which all clicks are in the file, as a Unix timestamp; 0: all that there ever were',
    () => state().since / 1_000,
  )
  counter('restarts_total', 'How often the statistics process died', () => state().restarts)
  counter('stored_total', 'Clicks stored since the start', () => state().stored)
  counter('damaged_lines_total', 'Lines that it could not read', () => state().skipped)
}

/** Puts the database's files among the metrics; memory and the event loop are there already. */
export function watchProcess(metrics: Metrics, { dataDir }: { dataDir: string }): void {
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.watch({ name, help, type: 'gauge', read })
  const { main } = databaseFiles(dataDir)
  gauge('database_bytes', 'Size of the main database', () => sizeOf(main))
  gauge('database_wal_bytes', 'Size of its write-ahead log', () => sizeOf(`${main}-wal`))
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
