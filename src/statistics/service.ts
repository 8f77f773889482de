import type { Domains } from '../domains/index.ts'
import { type ClickList, clicks, type PageQuery } from './clicks.ts'
import { createExports } from './exports.ts'
import type { Interval } from './intervals.ts'
import { createLiveStreams, type LiveStreams } from './live/streams.ts'
import type { ClicksQuery } from './query.ts'
import { type Stats, sparklines, stats, type TopList, top } from './report.ts'
import type { Question, StatisticsCaller, StatisticsContext } from './selection.ts'
import type { AskableReports, Dimension, ExportOptions } from './types.ts'

/** What the statistics service works with. */
export interface StatisticsDeps extends StatisticsContext {
  reports: AskableReports
  /** How much later than newer clicks a click may be stored, in milliseconds; 0: in order. */
  liveLateMs?: number
  /** How often a live stream looks for clicks, in milliseconds; for tests. */
  livePauseMs?: number
}

/**
 * Answers questions about clicks. The signal aborts when the client is gone.
 *
 * All methods throw AppError: LINK_NOT_FOUND, VALIDATION_FAILED, SERVICE_UNAVAILABLE while the
 * statistics can't answer, and what each one names.
 */
export interface StatisticsService {
  /** The domains that filters are checked against. */
  readonly domains: Domains
  stats(
    question: Question<ClicksQuery & { interval?: Interval | undefined }>,
    signal?: AbortSignal,
  ): Promise<Stats>
  top(
    question: Question<ClicksQuery & { limit: number }>,
    dimension: Dimension,
    signal?: AbortSignal,
  ): Promise<TopList>
  /** @throws AppError BAD_REQUEST (INVALID_CURSOR) */
  clicks(question: Question<PageQuery>, signal?: AbortSignal): Promise<ClickList>
  /** Starts when the result is called. @throws AppError RATE_LIMITED then, with too many open */
  export(
    question: Question,
    options: ExportOptions,
    signal?: AbortSignal,
  ): Promise<() => Promise<ReadableStream<Uint8Array>>>
  /** Server-sent events. @throws AppError BAD_REQUEST, RATE_LIMITED */
  stream: LiveStreams['open']
  /** Human clicks per day of some links, by id. */
  sparklines(
    caller: StatisticsCaller,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<Record<string, number[]>>
  /** Ends the live streams, which would keep the server from stopping. */
  endStreams(): void
}

/** Makes the statistics service of an instance. */
export function createStatisticsService(deps: StatisticsDeps): StatisticsService {
  const until = (signal: AbortSignal | undefined): StatisticsContext =>
    signal === undefined ? deps : { ...deps, reports: deps.reports.until(signal) }
  const live = createLiveStreams(deps)
  const startExport = createExports()
  return {
    domains: deps.domains,
    stats: (question, signal) => stats(until(signal), question),
    top: (question, dimension, signal) => top(until(signal), question, dimension),
    clicks: (question, signal) => clicks(until(signal), question),
    export: (question, options, signal) => startExport(until(signal), question, options, signal),
    stream: live.open,
    sparklines: (caller, ids, signal) => sparklines(until(signal), caller, ids),
    endStreams: live.endAll,
  }
}
