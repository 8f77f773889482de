import { existsSync } from 'node:fs'
import { isBefore, journalDirectory, listSegments, type Position } from '../../clicks/segments.ts'
import {
  areUnfilled,
  databaseFiles,
  openSqlite,
  SEQS_PER_WORKSPACE,
} from '../../platform/storage/index.ts'
import type { StoredFacts } from '../../statistics/engine/types.ts'
import { statisticsFile } from '../../statistics/process/files.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const RECOUNT =
  'stop the server and run slugline clicks recount, which compares each link and repairs it'
const FROM_BACKUP = 'a backup may have them; the links keep their numbers'
const NEWER_LINKS =
  'restore a backup of the whole directory; a start does not bring them back, but gives their clicks to no new link'

/** What the counters say of the other files. */
export interface CountedFacts {
  /** How far the journal is counted. */
  at: Position
  /** Clicks that are stored, too: without those only counted. */
  clicks: number
  /** They count more links than there ever were. */
  isAheadOfLinks: boolean
  isUnfilled: boolean
}

/** Reads it from counters that are whole. */
export function readCountedFacts(dataDir: string): CountedFacts {
  const { main, counters } = databaseFiles(dataDir)
  const connection = openSqlite(main, { readonly: true, attach: counters })
  const { raw, close } = connection
  try {
    const [row] = raw
      .query<Position & { clicks: number; ahead: number }, []>(
        `SELECT segment, "offset",
           (SELECT coalesce(sum(total - bare_human - bare_bot), 0) FROM link_counters) AS clicks,
           EXISTS (SELECT 1 FROM counter_watermarks c LEFT JOIN workspaces w ON w.no = c.workspace_no
             LEFT JOIN deleted_workspaces d ON d.no = c.workspace_no
             WHERE d.no IS NULL AND c.link_seq >
               c.workspace_no * ${SEQS_PER_WORKSPACE} + coalesce(w.links_made, 0)) AS ahead
         FROM journal_watermark`,
      )
      .all()
    const { segment = 0, offset = 0, clicks = 0, ahead = 0 } = row ?? {}
    const isUnfilled = areUnfilled(connection, 'counters')
    return { at: { segment, offset }, clicks, isAheadOfLinks: ahead !== 0, isUnfilled }
  } finally {
    close()
  }
}

/**
 * Compares what links, counters, statistics and journal say of each other: each may be whole, and an
 * older copy or an empty one.
 * @param counted read before `stored`; null: the counters can't be read
 * @param stored null: the statistics weren't read, or there are none
 */
export function compareFiles(
  dataDir: string,
  counted: CountedFacts | null,
  stored: StoredFacts | null,
): Finding[] {
  const found = [...differences(dataDir, counted, stored)]
  const agree = 'links, counters, statistics and journal agree'
  return found.length > 0 || counted === null ? found : [ok('consistency', agree)]
}

function* differences(
  dataDir: string,
  counted: CountedFacts | null,
  stored: StoredFacts | null,
): Generator<Finding> {
  const { main, counters } = databaseFiles(dataDir)
  const statistics = statisticsFile(dataDir)
  // Older segments were processed and deleted.
  const [oldest = counted === null ? 0 : counted.at.segment + 1] = listSegments(
    journalDirectory(dataDir),
  )
  if (counted?.isAheadOfLinks) {
    const message = `${main} is older than ${counters}: links created since are lost`
    yield warning('consistency', message, NEWER_LINKS)
  }
  if (oldest > 1 && !existsSync(statistics)) {
    const message = `${statistics} is missing, with the clicks before those in the journal`
    yield problem('consistency', message, FROM_BACKUP)
  }
  if (stored !== null && stored.segment + 1 < oldest) {
    const message = `${statistics} ends before the journal begins: clicks in between are missing`
    yield warning('consistency', message, FROM_BACKUP)
  }
  if (counted === null || counted.isUnfilled) return
  if (counted.at.segment + 1 < oldest || (counted.clicks === 0 && (stored?.clicks ?? 0) > 0)) {
    yield warning('consistency', `${counters} lacks clicks that are stored`, RECOUNT)
  } else if (stored !== null && stored.since === 0 && !isBefore(stored, counted.at)) {
    const missing = counted.clicks - stored.clicks
    if (missing <= 0) return
    const message = `${statistics} lacks ${missing} clicks that ${counters} has counted`
    yield warning('consistency', message, FROM_BACKUP)
  }
}
