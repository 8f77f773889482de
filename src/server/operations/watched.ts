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
  counter('redirects_total', 'Visits to short links, by outcome', () =>
    Object.entries(redirect.counts).map(([outcome, count]) => [`outcome="${outcome}"`, count]),
  )
  counter('clicks_lost_total', 'Clicks dropped while the disk refused them', () => journal.lost)
  gauge('journal_healthy', '1 while clicks reach the disk', () => Number(journal.healthy))
  counter(
    'journal_damaged_lines_total',
    'Lines of the journal that the click worker could not read',
    () => worker().skipped,
  )
  gauge(
    'click_backlog_bytes',
    'Size of the journal that is not counted yet',
    () => worker().backlogBytes,
  )
  gauge('click_backlog_seconds', 'Lag of the counters', () => worker().backlogSeconds)
  gauge('click_worker_running', '1 while the click worker runs', () => Number(worker().running))
  gauge(
    'click_worker_memory_bytes',
    'Resident memory of the click worker',
    () => worker().memoryBytes,
  )
  counter('click_worker_restarts_total', 'Restarts of the click worker', () => worker().restarts)

  gauge(
    'statistics_backlog_bytes',
    'Size of the journal that is not stored yet',
    () => statistics().backlogBytes,
  )
  gauge('statistics_backlog_seconds', 'Lag of the reports', () => statistics().backlogSeconds)
  gauge('statistics_running', '1 while the statistics process runs', () =>
    Number(statistics().running),
  )
  gauge(
    'statistics_memory_bytes',
    'Resident memory of the statistics process',
    () => statistics().memoryBytes,
  )
  counter(
    'statistics_restarts_total',
    'Restarts of the statistics process',
    () => statistics().restarts,
  )
  counter('statistics_stored_total', 'Clicks stored since the start', () => statistics().stored)
  counter(
    'statistics_damaged_lines_total',
    'Lines of the journal that the statistics process could not read',
    () => statistics().skipped,
  )
  gauge('statistics_healthy', '0 while the stored clicks can not be used', () =>
    Number(['ok', 'opening'].includes(statistics().store)),
  )
  gauge(
    'statistics_file_bytes',
    'Size of the file of stored clicks and its log',
    () => statistics().fileBytes,
  )
  gauge(
    'statistics_begin_seconds',
    'Unix time from which all clicks are stored; 0: from the beginning',
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
  gauge('disk_size_bytes', 'Size of the disk of the data directory', () => {
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
  gauge('mails_waiting', 'Emails being sent or waiting for another attempt', mailer.waiting)
}

/** Adds the embedded database's files to the metrics. */
export function watchFiles({ gauge }: Metrics, dataDir: string): void {
  const { main } = databaseFiles(dataDir)
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  gauge('database_bytes', 'Size of the main database', () => sizeOf(main))
  gauge('database_wal_bytes', 'Size of the write-ahead log of the main database', () =>
    sizeOf(`${main}-wal`),
  )
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
  gauge('resolver_bytes', 'Approximate memory of the slugs in memory', () => links().bytes)
  gauge('resolver_filled', '1 while memory holds all links, or as many as fit', () =>
    Number(links().filled !== 'none'),
  )
  gauge(
    'resolver_behind_seconds',
    'Age of the last moment at which all changes of links were known',
    () => Math.max(0, numbers.clock.now() - links().knownAt) / 1_000,
  )
  counter('resolver_hits_total', 'Slugs found in memory', () => links().hits)
  counter('resolver_misses_total', 'Slugs read from the database', () => links().misses)
  counter(
    'resolver_stale_total',
    'Visits answered without confirmation by the database',
    () => links().stale,
  )
  counter(
    'resolver_refused_total',
    'Visits refused because the database did not respond',
    () => links().refused,
  )
  counter('resolver_changes_total', 'Changes of links read from PostgreSQL', () => links().changes)
  counter(
    'resolver_losses_total',
    'Times that all links were revalidated, because changes may have been missed',
    () => links().losses,
  )
  gauge('resolver_database_away', '1 while links can not be read', () =>
    Number(links().databaseDown),
  )

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
  gauge(
    'bus_lag_seconds',
    'Round-trip time of the last message between nodes',
    () => cluster().lagMs / 1_000,
  )
  counter('bus_received_total', 'Messages received from other nodes', () => cluster().received)
  counter(
    'bus_unsent_total',
    'Messages of this node that Redis did not accept',
    () => cluster().unsent,
  )
  gauge('nodes', 'Number of nodes known to this one', () => cluster().nodes)
  counter(
    'limits_late_total',
    'Rate-limit checks that Redis answered too late',
    () => cluster().late,
  )
  counter(
    'limits_alone_total',
    'Requests decided by this node with its share of the limit',
    () => cluster().localFallbackCount,
  )
}
