import { createOpenLimit } from '../platform/limits/index.ts'
import { clicks } from './clicks.ts'
import { createClickDeletions, type DeletionOptions } from './deletions.ts'
import { createLiveStreams, type LiveOptions } from './live/streams.ts'
import { listRange } from './range.ts'
import { recordedClicks } from './recorded.ts'
import { sparklines, stats, top } from './report.ts'
import {
  type Question,
  type StatisticsContext,
  type StatisticsReader,
  select,
} from './selection.ts'
import type { ExportOptions, Listed } from './types.ts'

/** The most exports that a workspace, or a person, may have open, and all together. */
export const EXPORTS_PER_WORKSPACE = 4
const EXPORTS_MAX = 40
export type StatisticsService = ReturnType<typeof createStatisticsService>

/**
 * Answers questions about clicks. The signal aborts when the client is gone.
 *
 * All methods throw AppError: LINK_NOT_FOUND, VALIDATION_FAILED, SERVICE_UNAVAILABLE while the
 * statistics can't answer, and what each one names.
 */
export function createStatisticsService(deps: LiveOptions & DeletionOptions) {
  const until = (signal?: AbortSignal): StatisticsContext =>
    signal === undefined ? deps : { ...deps, reports: deps.reports.until(signal) }
  const live = createLiveStreams(deps)
  const exporting = createOpenLimit(EXPORTS_PER_WORKSPACE, EXPORTS_MAX)
  return {
    /** Of clicks, for good. */
    deletions: createClickDeletions(deps),
    /** The domains that filters are checked against. */
    domains: deps.domains,
    stats: (question: Parameters<typeof stats>[1], signal?: AbortSignal) =>
      stats(until(signal), question),
    top: (question: Parameters<typeof top>[1], dimension: Listed, signal?: AbortSignal) =>
      top(until(signal), question, dimension),
    /** @throws AppError BAD_REQUEST (INVALID_CURSOR) */
    clicks: (question: Parameters<typeof clicks>[1], signal?: AbortSignal) =>
      clicks(until(signal), question),
    /** Clicks after a position, for webhooks. */
    recorded: (caller: StatisticsReader, asked: Parameters<typeof recordedClicks>[2]) =>
      recordedClicks(deps, caller, asked),
    /** Starts when the result is called. @throws AppError RATE_LIMITED then, with too many open */
    async export(question: Question, options: ExportOptions, signal?: AbortSignal) {
      const selection = await select(deps, question, listRange(question.query))
      const { reports } = until(signal)
      return () =>
        exporting.stream(question.caller, () => reports.export(selection, options), signal)
    },
    /** Server-sent events. @throws AppError BAD_REQUEST, RATE_LIMITED */
    stream: live.open,
    /** Human clicks per day of some links, by id. */
    sparklines: (caller: StatisticsReader, ids: readonly string[], signal?: AbortSignal) =>
      sparklines(until(signal), caller, ids),
    /** How many live streams are open. */
    liveStreams: live.count,
    /** Ends the live streams, which would keep the server from stopping. */
    endStreams: live.endAll,
  }
}
