import { statSync } from 'node:fs'
import {
  type ChangedLinks,
  type CountingReport,
  createRecorder,
  createTrimmer,
  journalDirectory,
  listSegments,
  openJournal,
  type Position,
  segmentFile,
  type Visitors,
} from '../../clicks/index.ts'
import { Supervisor } from '../../clicks/workers/index.ts'
import { clickLimitsOf } from '../../features/plans/service.ts'
import { ownProgram } from '../../lib/base/own-program.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { createStatistics } from '../../statistics/process/index.ts'
import { journalCheck, statisticsCheck, workerCheck } from '../operations/checks.ts'
import { watchClock } from '../operations/clock.ts'
import { watchClicks } from '../operations/watched.ts'
import type { Backend, BackendInput } from './types.ts'

/** Options of the click pipeline. */
interface ClickPathOptions {
  input: BackendInput
  storage: Pick<Storage, 'reports'>
  /** How far the journal was counted before this start. */
  watermark: Position
  /** No segment up to this one is written again, even if the journal's files are lost. */
  after: number
  visitors: Visitors
  /** See `createTrimmer`. */
  syncReaders?: () => Promise<void>
  /** The click worker can't use the counters. */
  countersDamaged?: () => void
  /** The time of the database's clock. */
  databaseTime?: () => Promise<number>
}

/**
 * Opens the click pipeline: a journal, the two workers that read it, and their state. The same on a
 * single machine and on each node.
 */
export function openClickPath(options: ClickPathOptions) {
  const { input, storage, watermark, after, visitors, syncReaders, databaseTime } = options
  const { countersDamaged } = options
  const { config, plans, clock, logger } = input
  const { dataDir } = config
  const directory = journalDirectory(dataDir)
  const lastWrite = lastWriteOf(directory)
  const watchedClock = watchClock({ clock, logger, lastWrite, databaseTime })
  const journal = openJournal({ directory, after, logger, recovered: wakeWorkers })
  const limits = clickLimitsOf(plans.all)
  const isLimited = Object.keys(limits).length > 0
  const helper = (name: string) => ownProgram(name, '--data-dir', dataDir, JSON.stringify(limits))
  const common = { journal, clock, logger, advanced: () => trimmer.trim() }
  const supervisor = new Supervisor<ChangedLinks, CountingReport>({
    ...common,
    reported({ damaged }) {
      if (damaged) countersDamaged?.()
    },
    name: 'click worker',
    command: helper('click-worker'),
    watermark,
    advanced() {
      trimmer.trim()
      // With limits of plans only counted clicks are stored, so storing follows counting.
      if (isLimited) statistics.wake()
    },
  })
  const statistics = createStatistics({
    ...common,
    command: helper('statistics'),
    retention: async () => {
      const rows = await storage.reports.db
        .selectFrom('workspaces')
        .select(['no', 'plan_id'])
        .execute()
      return rows.map(({ no, plan_id }) => [no, plans.of(plan_id).limits.analytics_retention_days])
    },
  })
  const trimmer = createTrimmer({
    directory,
    watermarks: () => [supervisor.state().watermark, statistics.state().watermark],
    syncReaders,
    logger,
  })
  function wakeWorkers(): void {
    supervisor.wake()
    statistics.wake()
  }
  const changedLinks: number[] = []

  return {
    journal,
    recorder: createRecorder(journal, visitors, wakeWorkers),
    counting: {
      wake: supervisor.wake,
      state: supervisor.state,
      linkChanged(seq) {
        // Links that change together are sent in one message.
        if (changedLinks.push(seq) > 1) return
        setImmediate(() => supervisor.notify({ changedLinks: changedLinks.splice(0) }))
      },
    },
    statistics,
    /** Lets new counters be filled from the stored clicks. */
    fillCounters() {
      statistics.wake()
      supervisor.notify({ changedLinks: [] })
    },
    checks: [
      journalCheck(journal),
      workerCheck(supervisor),
      statisticsCheck(statistics),
      watchedClock.check,
    ],
    watch(metrics, redirect) {
      watchClicks(metrics, { journal, supervisor, redirect, statistics })
    },
    closeJournal: () => journal.close(),
    async finish(withinMs) {
      watchedClock.close()
      const counted = supervisor.stop(withinMs)
      if (isLimited) await counted
      await Promise.all([counted, statistics.stop(withinMs)])
      await trimmer.close()
    },
  } satisfies Partial<Backend> & { fillCounters(): void }
}

/** When a journal was last written, in milliseconds since the Unix epoch; 0: never. */
function lastWriteOf(directory: string): number {
  const times = listSegments(directory).map(
    (no) => statSync(segmentFile(directory, no), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  return Math.max(0, ...times)
}
