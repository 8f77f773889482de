import { unlink, writeFile } from 'node:fs/promises'
import type { Logger } from '../base/logger.ts'
import { isBefore, listSegments, type Position, segmentFile, segmentSize } from './segments.ts'

/** What a trimmer works with. */
export interface TrimmerOptions {
  /** The journal's. */
  directory: string
  /** How far each reader reports to have come; { 0, 0 }: it hasn't reported yet. */
  watermarks(): readonly Position[]
  logger?: Pick<Logger, 'warn'>
}

/**
 * Deletes what all readers of the journal have done: the slowest decides. Until each has reported,
 * nothing is deleted.
 */
export function createTrimmer({ directory, watermarks, logger }: TrimmerOptions) {
  let trimmedTo = 0
  let running: Promise<void> | undefined

  const slowest = () => watermarks().reduce((a, b) => (isBefore(b, a) ? b : a))

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      logger?.warn({ err: error }, 'Old segments of the journal can not be deleted')
    }
  }

  const removeBefore = (segment: number) =>
    attempt(async () => {
      for (const no of listSegments(directory)) {
        if (no < segment) await unlink(segmentFile(directory, no))
      }
      trimmedTo = segment
    })

  return {
    /** Deletes segments off the thread. Call it whenever a reader has advanced. */
    trim(): void {
      const { segment } = slowest()
      if (segment <= trimmedTo || running !== undefined) return
      running = removeBefore(segment).finally(() => {
        running = undefined
      })
    },
    /**
     * Deletes the last segment too, once nothing is written or read any more. An empty one follows it,
     * so that its number isn't used again and a reader whose watermark is lost finds a gap.
     */
    async close(): Promise<void> {
      await running
      const { segment, offset } = slowest()
      if (segment === 0) return
      const isLast = listSegments(directory).at(-1) === segment
      const isDone = isLast && offset > 0 && offset >= segmentSize(directory, segment)
      await attempt(async () => {
        const next = segmentFile(directory, segment + 1)
        if (isDone) await writeFile(next, '', { flag: 'wx', mode: 0o600 })
        await removeBefore(isDone ? segment + 1 : segment)
      })
    },
  }
}
