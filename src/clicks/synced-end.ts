import { syncPath } from '../lib/base/sync-path.ts'
import { listSegments, type Position, segmentFile, segmentSize } from './segments.ts'

/**
 * For a reader of a journal that stores what it reads: a power cut takes clicks that are not synced,
 * and what is stored of them would stay. So the reader syncs first, and reads up to there. The
 * writer's own syncs would do, but it may have died before its last one.
 * @returns what gives the end of the journal, synced; `from`: what is before isn't read
 */
export function createSyncedEnd(directory: string) {
  let synced: Position = { segment: 0, offset: 0 }
  return async ({ segment: from }: Pick<Position, 'segment'>): Promise<Position> => {
    const segments = listSegments(directory).filter((no) => no >= from && no >= synced.segment)
    let end = synced
    for (const segment of segments) {
      const offset = segmentSize(directory, segment)
      if (segment === synced.segment && offset === synced.offset) continue
      await syncPath(segmentFile(directory, segment))
      end = { segment, offset }
    }
    // A new segment survives once its name does.
    if (end.segment > synced.segment) await syncPath(directory)
    synced = end
    return synced
  }
}

/** See {@link createSyncedEnd}. */
export type SyncedEnd = ReturnType<typeof createSyncedEnd>
