import { createOpenLimit } from '../limits/index.ts'
import { listRange } from './range.ts'
import { type Question, type StatisticsContext, select } from './selection.ts'
import type { ExportOptions } from './types.ts'

/** The most exports that a workspace, or a person, may have open, and all together. */
export const EXPORTS_PER_WORKSPACE = 4
const EXPORTS_MAX = 40

/**
 * Exports all clicks of a question. The question is checked first, and the export starts when the
 * result is called, which throws AppError RATE_LIMITED or SERVICE_UNAVAILABLE. The signal aborts when
 * the client is gone.
 */
export function createExports() {
  const limit = createOpenLimit(EXPORTS_PER_WORKSPACE, EXPORTS_MAX)

  return async (
    ctx: StatisticsContext,
    question: Question,
    options: ExportOptions,
    signal?: AbortSignal,
  ) => {
    const selection = await select(ctx, question, listRange(question.query))
    return () => limit.stream(question.caller, () => ctx.reports.export(selection, options), signal)
  }
}
