import type { Clock } from '../base/clock.ts'
import type { Domains } from '../domains/index.ts'
import type { Cursors } from '../http/cursor.ts'
import type { Storage } from '../storage/index.ts'
import { type ClickList, type ClicksContext, clicks, exportClicks } from './clicks.ts'
import { createExports } from './exports.ts'
import type { Interval } from './intervals.ts'
import { createLiveStreams, type LiveStreams } from './live.ts'
import { createLinkNames } from './names.ts'
import type { Asked } from './query.ts'
import { type ReportContext, type Stats, stats, type TopList, top } from './report.ts'
import type { StatisticsCaller } from './selection.ts'
import { sparklines } from './sparklines.ts'
import type { AskableReports, Dimension, ExportFormat, LiveClicks } from './types.ts'

/** What the statistics service works with. */
export interface StatisticsDeps {
  reports: AskableReports & LiveClicks
  storage: Pick<Storage, 'read' | 'reports'>
  domains: Domains
  cursors: Cursors
  clock: Clock
}

/**
 * Answers questions about clicks, of one link (`linkId`) or of a workspace (null), as long as `signal`
 * doesn't abort: then whoever asked has gone.
 *
 * All of it throws AppError: LINK_NOT_FOUND, VALIDATION_FAILED, SERVICE_UNAVAILABLE while the
 * statistics can't be asked, and what is said of each.
 */
export interface StatisticsService {
  /** The domains that filters are checked against. */
  readonly domains: Domains
  stats(
    caller: StatisticsCaller,
    linkId: string | null,
    asked: Asked & { interval?: Interval | undefined },
    signal?: AbortSignal,
  ): Promise<Stats>
  top(
    caller: StatisticsCaller,
    linkId: string | null,
    dimension: Dimension,
    asked: Asked & { limit?: number | undefined },
    signal?: AbortSignal,
  ): Promise<TopList>
  /** @throws AppError BAD_REQUEST (INVALID_CURSOR) */
  clicks(
    caller: StatisticsCaller,
    linkId: string | null,
    asked: Asked & { limit?: number | undefined; cursor?: string | undefined },
    signal?: AbortSignal,
  ): Promise<ClickList>
  /** Begins when the result is called. @throws AppError RATE_LIMITED then, with too many under way */
  export(
    caller: StatisticsCaller,
    linkId: string | null,
    asked: Asked,
    format: ExportFormat,
    signal?: AbortSignal,
  ): Promise<() => Promise<ReadableStream<Uint8Array>>>
  /** Clicks as they come, for server-sent events. @throws AppError BAD_REQUEST, RATE_LIMITED */
  stream: LiveStreams['open']
  /** Clicks per day of some links, by id. */
  sparklines(
    caller: StatisticsCaller,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<Record<string, number[]>>
  /** Ends the live streams: an orderly stop waits for nobody who never ends by itself. */
  endStreams(): void
}

/** Makes the statistics service of an instance. */
export function createStatisticsService(deps: StatisticsDeps): StatisticsService {
  const { storage, domains, reports, clock, cursors } = deps
  const names = createLinkNames(storage, domains)
  const ctx: ReportContext & ClicksContext = {
    storage,
    clock,
    reports,
    names,
    cursors,
    domains,
    hostOf: domains.hostOf,
  }
  const asking = (signal: AbortSignal | undefined) =>
    signal === undefined ? ctx : { ...ctx, reports: reports.until(signal) }
  const live = createLiveStreams({ reports, storage, names, domains, clock })
  const exports = createExports()
  return {
    domains,
    stats: (caller, linkId, asked, signal) => stats(asking(signal), caller, linkId, asked),
    top: (caller, linkId, dimension, asked, signal) =>
      top(asking(signal), caller, linkId, dimension, asked),
    clicks: (caller, linkId, asked, signal) => clicks(asking(signal), caller, linkId, asked),
    async export(caller, linkId, asked, format, signal) {
      const begin = await exportClicks(asking(signal), caller, linkId, asked, format)
      return () => exports.run(caller.workspace.no, begin, signal)
    },
    stream: live.open,
    sparklines: (caller, ids, signal) => sparklines(asking(signal), caller, ids),
    endStreams: live.endAll,
  }
}
