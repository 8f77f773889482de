import type { Clock } from '../../lib/base/clock.ts'
import type { Logger } from '../../lib/base/logger.ts'
import { ownProgram } from '../../lib/base/own-program.ts'
import type { Config } from '../../platform/config/index.ts'
import { type LastBackup, readState } from './backup-state.ts'
import type { Metrics } from './metrics.ts'

const LOOK_EVERY_MS = 5_000
/** The wait after a failed backup. */
const RETRY_MS = 900_000
/** A backup that takes longer counts as overdue. */
const LATE_MS = 3_600_000

/** The next time of a schedule. Milliseconds since the Unix epoch. */
export function nextAfter(schedule: string, at: number): number {
  return Bun.cron.parse(schedule, at, { tz: 'UTC' })?.getTime() ?? Number.POSITIVE_INFINITY
}

/** Whether a scheduled backup after the last one, or after `since`, is missing. */
export function isOverdue(
  schedule: string,
  { last, since, now }: { last: LastBackup | null; since: number; now: number },
): boolean {
  return nextAfter(schedule, last?.at ?? since) + LATE_MS < now
}

interface ScheduleOptions {
  dataDir: string
  /** Null: there is none. */
  schedule: string | null
  clock: Clock
  logger: Pick<Logger, 'info' | 'error'>
  /** Makes a backup in another process; returns the error, or null. */
  run?: (signal: AbortSignal) => Promise<string | null>
}

/** Makes backups by schedule. One that was missed (server down) or failed is made later. */
export function createBackupSchedule(options: ScheduleOptions) {
  const { dataDir, schedule, clock, logger, run = runCommand } = options
  const startedAt = clock.now()
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let notBefore = 0
  let failures = 0

  async function make(): Promise<void> {
    const fault = await run(stopping.signal).catch(String)
    if (stopping.signal.aborted) return
    const last = readState(dataDir)
    if (fault === null) {
      logger.info({ duration_ms: last?.durationMs, bytes: last?.bytes }, 'A backup was made')
      return
    }
    failures++
    notBefore = clock.now() + RETRY_MS
    logger.error({ reason: fault }, 'The backup failed; it is tried again in 15 minutes')
  }

  /** Makes a backup if it is due. Resolves when it is done. */
  async function look(): Promise<void> {
    if (schedule === null || running !== undefined || clock.now() < notBefore) return
    if (nextAfter(schedule, readState(dataDir)?.at ?? startedAt) > clock.now()) return
    running = make()
    await running
    running = undefined
  }

  const timer = schedule === null ? undefined : setInterval(look, LOOK_EVERY_MS)
  timer?.unref()
  return {
    look,
    /** Cancels a running backup. */
    stop(): void {
      clearInterval(timer)
      stopping.abort()
    },
    /** Adds the last backup to the metrics. */
    watch({ gauge, counter }: Pick<Metrics, 'gauge' | 'counter'>): void {
      const of = (read: (last: LastBackup) => number) => () => {
        const last = readState(dataDir)
        return last === null ? [] : ([['', read(last)]] as const)
      }
      gauge(
        'backup_age_seconds',
        'Time since the last backup that was completed had begun',
        of(({ at }) => (clock.now() - at) / 1_000),
      )
      gauge(
        'backup_duration_seconds',
        'How long it took',
        of((last) => last.durationMs / 1_000),
      )
      gauge(
        'backup_bytes',
        'Its size',
        of(({ bytes }) => bytes),
      )
      if (schedule === null) return
      counter('backup_failures_total', 'Scheduled backups that failed', () => failures)
      gauge('backup_overdue', '1 while the last scheduled backup is not there an hour later', () =>
        Number(
          isOverdue(schedule, { last: readState(dataDir), since: startedAt, now: clock.now() }),
        ),
      )
    },
  }
}

/** Starts the schedule of a server, and its metrics; several nodes have neither. */
export function startBackups(input: {
  config: Pick<Config, 'dataDir' | 'backup' | 'scaled'>
  clock: Clock
  logger: ScheduleOptions['logger']
  metrics: Metrics
}) {
  const { config, clock, logger, metrics } = input
  const { dataDir, backup, scaled } = config
  const backups = createBackupSchedule({ dataDir, schedule: backup.schedule, clock, logger })
  if (scaled === null) backups.watch(metrics)
  return backups
}

/** The option that marks a backup as scheduled in the audit log. */
export const SCHEDULED = '--scheduled'

/** Runs `slugline backup` with the settings of this process. */
async function runCommand(signal: AbortSignal): Promise<string | null> {
  const child = Bun.spawn(ownProgram('backup', SCHEDULED), {
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  const text = await new Response(child.stderr).text()
  return (await child.exited) === 0 ? null : text.trim()
}
