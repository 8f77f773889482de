import { statfsSync, statSync } from 'node:fs'
import type { Journal } from '../../clicks/index.ts'
import type { WorkerState } from '../../clicks/workers/index.ts'
import type { EventStreams } from '../../features/events/streams.ts'
import type { JobService } from '../../features/jobs/index.ts'
import type { Clock } from '../../lib/base/clock.ts'
import type { Cluster } from '../../platform/cluster/index.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import { databaseFiles, type PostgresStorage } from '../../platform/storage/index.ts'
import type { CachedResolver, Redirect } from '../../redirect/index.ts'
import type { Statistics } from '../../statistics/process/index.ts'
import { freeBytesOf } from './checks.ts'
import type { Health } from './health.ts'
import type { Metrics } from './metrics.ts'

/** Adds redirects, the journal and its two readers to the metrics. */
export function watchClicks(
  { gauge, counter }: Metrics,
  clicks: {
    journal: Pick<Journal, 'lost' | 'healthy'>
    supervisor: { state(): WorkerState }
    redirect: Pick<Redirect, 'counts'>
    statistics: Pick<Statistics, 'state'>
  },
): void {
  const { journal, redirect } = clicks
  const worker = clicks.supervisor.state
  const statistics = clicks.statistics.state
  counter('redirects_total', 'Visits of short links, by what they led to', () =>
    Object.entries(redirect.counts).map(([outcome, count]) => [`outcome="${outcome}"`, count]),
  )
  counter('clicks_lost_total', 'Clicks dropped while the disk refused them', () => journal.lost)
  gauge('journal_healthy', '1 while clicks reach the disk', () => Number(journal.healthy))
  counter('journal_damaged_lines_total', 'Lines that it could not read', () => worker().skipped)
  gauge('click_backlog_bytes', 'Journal that is not counted', () => worker().backlogBytes)
  gauge('click_backlog_seconds', 'Lag of the counters', () => worker().backlogSeconds)
  gauge('click_worker_running', '1 while it runs', () => Number(worker().running))
  gauge('click_worker_memory_bytes', 'Its resident memory', () => worker().memoryBytes)
  counter('click_worker_restarts_total', 'How often it died', () => worker().restarts)

  gauge('statistics_backlog_bytes', 'Journal not stored', () => statistics().backlogBytes)
  gauge('statistics_backlog_seconds', 'Lag of the reports', () => statistics().backlogSeconds)
  gauge('statistics_running', '1 while the process runs', () => Number(statistics().running))
  gauge('statistics_memory_bytes', 'Its resident memory', () => statistics().memoryBytes)
  counter('statistics_restarts_total', 'How often it died', () => statistics().restarts)
  counter('statistics_stored_total', 'Clicks stored', () => statistics().stored)
  counter('statistics_damaged_lines_total', 'Lines it could not read', () => statistics().skipped)
  gauge('statistics_healthy', '0 while its file can not be used', () =>
    Number(['ok', 'opening'].includes(statistics().store)),
  )
  gauge('statistics_file_bytes', 'Size of its file and log', () => statistics().fileBytes)
  gauge(
    'statistics_begin_seconds',
    'Time from which all clicks are stored, as a Unix timestamp; 0: all that there ever were',
    () => statistics().since / 1_000,
  )
}

const STATUSES = ['ok', 'degraded', 'failed'] as const

/** Adds the checks of `/readyz`, and the disk of the data directory, to the metrics. */
export function watchHealth(
  { gauge }: Metrics,
  health: Pick<Health, 'report'>,
  dataDir: string,
): void {
  gauge('check_status', '1 for the status that a check of /readyz has', async () => {
    const { checks } = await health.report()
    return checks.flatMap(({ name, status }) =>
      STATUSES.map(
        (each) => [`check="${name}",status="${each}"`, Number(each === status)] as const,
      ),
    )
  })
  gauge('disk_free_bytes', 'Free space for this user, on the disk of the data directory', () =>
    freeBytesOf(dataDir),
  )
  gauge('disk_size_bytes', 'Size of that disk', () => {
    const { blocks, bsize } = statfsSync(dataDir)
    return blocks * bsize
  })
}

/** Adds jobs, streams and mail to the metrics. */
export function watchServices(
  { gauge }: Metrics,
  services: {
    jobs: Pick<JobService, 'open' | 'running'>
    eventStreams: Pick<EventStreams, 'count'>
    statistics: { liveStreams(): number }
    mailer: Pick<Mailer, 'waiting'>
  },
): void {
  const { jobs, eventStreams, statistics, mailer } = services
  gauge('jobs_open', 'Jobs that wait or run, on all nodes', jobs.open)
  gauge('jobs_running', 'Jobs that this process runs', jobs.running)
  gauge('streams', 'Open streams of server-sent events', () => [
    ['kind="events"', eventStreams.count()],
    ['kind="clicks"', statistics.liveStreams()],
  ])
  gauge('mails_waiting', 'Messages that are being sent', mailer.waiting)
}

/** Adds the embedded database's files to the metrics. */
export function watchFiles({ gauge }: Metrics, dataDir: string): void {
  const { main } = databaseFiles(dataDir)
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  gauge('database_bytes', 'Size of the main database', () => sizeOf(main))
  gauge('database_wal_bytes', 'Size of its write-ahead log', () => sizeOf(`${main}-wal`))
}

/** Adds the memory of links, PostgreSQL, messages between nodes and shared limits. */
export function watchCluster(
  { gauge, counter }: Metrics,
  numbers: {
    resolver: Pick<CachedResolver, 'state'>
    cluster: Pick<Cluster, 'state'>
    database: Pick<PostgresStorage, 'connections'>
    clock: Clock
  },
): void {
  const links = numbers.resolver.state
  gauge('resolver_entries', 'Slugs in memory', () => links().entries)
  gauge('resolver_bytes', 'About how much memory they take', () => links().bytes)
  gauge('resolver_filled', '1 when all links are in memory, or as many as have room', () =>
    Number(links().filled !== 'none'),
  )
  gauge(
    'resolver_behind_seconds',
    'Since when not all changes of links are known',
    () => Math.max(0, numbers.clock.now() - links().knownAt) / 1_000,
  )
  counter('resolver_hits_total', 'Slugs found in memory', () => links().hits)
  counter('resolver_misses_total', 'Slugs read from the database', () => links().misses)
  counter('resolver_stale_total', 'Answers the database could not confirm', () => links().stale)
  counter('resolver_refused_total', 'Visits refused without the database', () => links().refused)
  counter('resolver_changes_total', 'Changes of links read', () => links().changes)
  counter('resolver_losses_total', 'How often changes may have been missed', () => links().losses)
  gauge('resolver_database_away', '1 while links can not be read', () => Number(links().databaseDown))

  const pool = numbers.database.connections
  gauge('postgres_connections', 'Connections to PostgreSQL, by state', () => {
    const { open, idle, waiting } = pool()
    return [
      ['state="used"', open - idle],
      ['state="idle"', idle],
      ['state="waited_for"', waiting],
    ]
  })

  const cluster = numbers.cluster.state
  gauge('redis_up', '1 while Redis answers in time', () => Number(cluster().up))
  gauge('bus_heard', '1 while messages of other nodes arrive', () => Number(cluster().subscribed))
  gauge('bus_lag_seconds', 'Way of the last message and back', () => cluster().lagMs / 1_000)
  counter('bus_received_total', 'Messages of other nodes', () => cluster().received)
  counter('bus_unsent_total', 'Messages that Redis did not take', () => cluster().unsent)
  gauge('nodes', 'Nodes there are, as far as this one knows', () => cluster().nodes)
  counter('limits_late_total', 'Answers of Redis that were too late', () => cluster().late)
  counter('limits_alone_total', 'Limits decided by shares', () => cluster().localFallbackCount)
}
