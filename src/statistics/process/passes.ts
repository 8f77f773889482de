import type { Logger } from '../../base/logger.ts'
import { fileBytesOf } from './files.ts'
import type { KeptStore } from './kept-store.ts'
import type { FromStatistics } from './messages.ts'

/**
 * Between two batches: half a second at little load, so that a click is seen soon; up to five
 * seconds at 20,000 clicks a second, so that batches are large.
 */
const GAP_MS = { least: 400, most: 5_000, perClickPerSecond: 0.25 }
const AFTER_ERROR_MS = 250

/** What to do after a pass. */
export interface AfterPass {
  /** The next one's distance. */
  gapMs: number
  /** There is more to store already. */
  more: boolean
  failed: boolean
}

/** Stores what has gathered in the journal, a batch at a time. */
export interface Passes {
  run(): Promise<AfterPass>
  /** When the pass began that hasn't come to the journal's end; null: none is under way. */
  readonly since: number | null
  /** Says how far clicks are stored, and how the file does. */
  report(): void
}

/** What {@link createPasses} works with. */
export interface PassesOptions {
  file: string
  kept: KeptStore
  tell(message: FromStatistics): void
  /** After an error a pass is tried again so much later at most, in milliseconds. */
  retryMs: number
  logger?: Pick<Logger, 'warn'> | undefined
}

/** Opens the file at the first pass, and after an error. */
export function createPasses({ file, kept, tell, retryMs, logger }: PassesOptions): Passes {
  let errorGapMs = AFTER_ERROR_MS
  let upTo = 0
  let stored = 0
  let skipped = 0
  let lastAt = performance.now() - GAP_MS.most
  let passingSince: number | null = null

  function report(): void {
    const { now: store, state } = kept
    tell({
      kind: 'stored',
      state,
      watermark: store?.watermark ?? { segment: 0, offset: 0 },
      since: store?.since ?? 0,
      upTo,
      stored,
      skipped,
      fileBytes: fileBytesOf(file),
    })
  }

  return {
    get since() {
      return passingSince
    },
    report,
    async run() {
      passingSince ??= performance.now()
      try {
        const store = await kept.open()
        const before = store.since
        const pass = await store.pass()
        if (pass.complete) passingSince = null
        if (store.since !== before) {
          const since = new Date(store.since).toISOString()
          logger?.warn(
            { file, since },
            'Clicks before this time are missing in the statistics file',
          )
        }
        stored += pass.records
        skipped += pass.skipped
        upTo = Math.max(upTo, pass.upTo)
        errorGapMs = AFTER_ERROR_MS
        report()
        const now = performance.now()
        const perSecond = (pass.records * 1_000) / (now - lastAt)
        lastAt = now
        const wanted = perSecond * GAP_MS.perClickPerSecond
        const gapMs = Math.min(GAP_MS.most, Math.max(GAP_MS.least, wanted))
        return { gapMs, more: !pass.complete, failed: false }
      } catch (error) {
        kept.fail(error)
        const gapMs = errorGapMs
        errorGapMs = Math.min(errorGapMs * 2, retryMs)
        return { gapMs, more: false, failed: true }
      }
    },
  }
}
