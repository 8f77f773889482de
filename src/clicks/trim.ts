import { unlink, writeFile } from 'node:fs/promises'
import type { Logger } from '../lib/base/logger.ts'
import { syncPath } from '../lib/base/sync-path.ts'
import { isBefore, listSegments, type Position, segmentFile, segmentSize } from './segments.ts'

/**
 * Deletes segments that all readers of the journal have processed, once each has reported, and once
 * a power cut can't take back what they have made of them.
 */
export function createTrimmer(options: {
  /** The journal's directory. */
  directory: string
  /** The position reported by each reader; { 0, 0 }: none yet. */
  watermarks(): readonly Position[]
  /** Makes what the readers have committed survive a power cut. Absent: it does. */
  syncReaders?: (() => Promise<void>) | undefined
  logger?: Pick<Logger, 'warn'>
}) {
  const { directory, watermarks, syncReaders, logger } = options
  let trimmedTo = 0
  let running: Promise<void> | undefined

  const slowest = () => watermarks().reduce((a, b) => (isBefore(b, a) ? b : a))

  /** `addEmpty`: first creates that segment, without content. */
  async function removeBefore(segment: number, addEmpty = false): Promise<void> {
    try {
      // It covers the watermarks, which were read before.
      await syncReaders?.()
      const options = { flag: 'wx', mode: 0o600 }
      if (addEmpty) {
        await writeFile(segmentFile(directory, segment), '', options)
        await syncPath(directory)
      }
      for (const no of listSegments(directory)) {
        if (no < segment) await unlink(segmentFile(directory, no))
      }
      trimmedTo = segment
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      logger?.warn({ err: error }, 'Old segments of the journal can not be deleted')
    }
  }

  return {
    /** Deletes segments asynchronously. Call it whenever a reader has advanced. */
    trim(): void {
      const { segment } = slowest()
      if (segment <= trimmedTo || running !== undefined) return
      running = removeBefore(segment).finally(() => {
        running = undefined
      })
    },
    /**
     * Deletes the last segment too, once nothing is written or read any more. An empty one follows
     * it, so that its number isn't reused and a reader whose watermark is lost finds a gap.
     */
    async close(): Promise<void> {
      await running
      const { segment, offset } = slowest()
      if (segment === 0) return
      const isLast = listSegments(directory).at(-1) === segment
      const isDone = isLast && offset > 0 && offset >= segmentSize(directory, segment)
      await removeBefore(isDone ? segment + 1 : segment, isDone)
    },
  }
}
