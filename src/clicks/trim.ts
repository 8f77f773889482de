import { readdir, unlink } from 'node:fs/promises'
import type { Logger } from '../base/logger.ts'
import { type Position, segmentFile, segmentOf, segmentSize } from './segments.ts'

/** Deletes what all readers of the journal are done with. */
export interface Trimmer {
  /** Looks whether there is something to delete; off the thread. Call it whenever one has advanced. */
  trim(): void
  /**
   * Deletes the last segments, too, once nothing is written or read any more: a start after it
   * finds an empty journal, and needs to read nothing.
   */
  close(): Promise<void>
}

/** What a trimmer works with. */
export interface TrimmerOptions {
  /** The journal's. */
  directory: string
  /** How far each reader says it has come; { 0, 0 }: it hasn't said yet. */
  watermarks(): readonly Position[]
  logger?: Pick<Logger, 'warn'>
}

/** Only what every reader itself has said decides: what isn't known isn't deleted. */
export function createTrimmer({ directory, watermarks, logger }: TrimmerOptions): Trimmer {
  let trimmedTo = 0
  let running: Promise<void> | undefined

  const slowest = () =>
    watermarks().reduce((a, b) =>
      b.segment < a.segment || (b.segment === a.segment && b.offset < a.offset) ? b : a,
    )

  async function remove(before: number): Promise<void> {
    try {
      for (const name of await readdir(directory)) {
        const segment = segmentOf(name)
        if (segment === null || segment >= before) continue
        await unlink(segmentFile(directory, segment))
      }
      trimmedTo = before
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      logger?.warn({ err: error }, 'Old segments of the journal can not be deleted')
    }
  }

  return {
    trim() {
      const { segment } = slowest()
      if (segment <= trimmedTo || running !== undefined) return
      running = remove(segment).finally(() => {
        running = undefined
      })
    },
    async close() {
      await running
      const { segment, offset } = slowest()
      if (segment === 0) return
      const isDone = offset >= segmentSize(directory, segment)
      await remove(isDone ? segment + 1 : segment)
    },
  }
}
