import type { Database } from 'bun:sqlite'
import { SEQS_PER_WORKSPACE } from '../storage/index.ts'
import type { Position } from './segments.ts'
import type { LinkTally, Tally } from './tally.ts'

const DAY_MS = 86_400_000
/** Clicks of a visitor whose day is older than this many can't come any more. */
const VISITOR_DAYS_KEPT = 2

/** The counters' database, written by the click worker alone. */
export interface Counters {
  watermark(): Position
  /**
   * Writes a batch together with the watermark that says so, or nothing: false when the
   * watermark isn't at `from` any more, because another worker counted the same clicks.
   */
  apply(tally: Tally, from: Position, to: Position): boolean
  /**
   * Adds a row of zeros for new links, at most `limit`, and moves the workspaces' watermarks.
   * Returns how many it added.
   */
  admit(limit: number): number
  /** Takes the rows of links that are gone for good out of the next `limit` rows. True: the round is complete. */
  sweep(limit: number): boolean
  /** Takes out the rows of these links, if they are gone. */
  forget(seqs: readonly number[]): void
  /** Deletes, at most `limit`, the visitors of days that are over. Returns how many. */
  purge(now: number, limit: number): number
  /** Changes whenever another process has written the links. */
  linksVersion(): number
}

/** `counters` is written, `links` (the main database) only read. */
export function createCounters(counters: Database, links: Database): Counters {
  const begin = counters.prepare('BEGIN IMMEDIATE')
  const commit = counters.prepare('COMMIT')
  const readWatermark = counters.prepare<{ segment: number; offset: number }, []>(
    'SELECT segment, "offset" FROM journal_watermark WHERE id = 1',
  )
  const moveWatermark = counters.prepare(
    `UPDATE journal_watermark SET segment = ?, "offset" = ?
     WHERE id = 1 AND segment = ? AND "offset" = ?`,
  )
  const addVisitor = counters.prepare(
    'INSERT INTO link_visitors (day, link_seq, visitor) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const addClicks = counters.prepare(
    `UPDATE link_counters SET total = total + ?1, human = human + ?2, bot = bot + ?3,
       unique_visitors = unique_visitors + ?4,
       last_clicked_at = max(coalesce(last_clicked_at, 0), ?5)
     WHERE link_seq = ?6`,
  )
  const addRow = counters.prepare(
    'INSERT INTO link_counters (link_seq, workspace_no) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const removeRow = counters.prepare('DELETE FROM link_counters WHERE link_seq = ?')
  const admitted = counters.prepare<{ link_seq: number }, [number]>(
    'SELECT link_seq FROM counter_watermarks WHERE workspace_no = ?',
  )
  const setAdmitted = counters.prepare(
    `INSERT INTO counter_watermarks (workspace_no, link_seq) VALUES (?1, ?2)
     ON CONFLICT (workspace_no) DO UPDATE SET link_seq = ?2`,
  )
  const rowsAfter = counters.prepare<{ link_seq: number }, [number, number]>(
    'SELECT link_seq FROM link_counters WHERE link_seq > ? ORDER BY link_seq LIMIT ?',
  )
  const purgeVisitors = counters.prepare(
    `DELETE FROM link_visitors WHERE (day, link_seq, visitor) IN
       (SELECT day, link_seq, visitor FROM link_visitors WHERE day < ? LIMIT ?)`,
  )
  const workspaces = links.prepare<{ no: number; links_made: number }, []>(
    'SELECT no, links_made FROM workspaces WHERE links_made > 0',
  )
  const newLinks = links.prepare<{ seq: number }, [number, number, number]>(
    // Deleted ones too: they may come back behind the watermark.
    `SELECT seq FROM links WHERE seq > ?1 AND seq <= ?2
     UNION ALL SELECT seq FROM deleted_links WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3`,
  )
  // A deleted link keeps its counters for as long as it can be restored.
  const linksBetween = links.prepare<{ seq: number }, [number, number]>(
    `SELECT seq FROM links WHERE seq > ?1 AND seq <= ?2
     UNION ALL SELECT seq FROM deleted_links WHERE seq > ?1 AND seq <= ?2`,
  )
  const linkExists = links.prepare<{ seq: number }, [number]>(
    `SELECT seq FROM links WHERE seq = ?1 UNION ALL SELECT seq FROM deleted_links WHERE seq = ?1`,
  )
  const version = links.prepare<{ data_version: number }, []>('PRAGMA data_version')
  let swept = 0

  function transaction<T>(work: () => T): T {
    begin.run()
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      // SQLite may have undone it already (disk full).
      if (counters.inTransaction) counters.run('ROLLBACK')
      throw error
    }
  }

  function removeAll(seqs: readonly number[]): void {
    if (seqs.length === 0) return
    transaction(() => {
      for (const seq of seqs) removeRow.run(seq)
    })
  }

  /** Clicks of a link without a row: it is new, or it was deleted since. */
  function admitOne(seq: number): boolean {
    if (linkExists.get(seq) === null) return false
    addRow.run(seq, workspaceOf(seq))
    return true
  }

  function write(tally: Tally): void {
    const { links: tallies, others } = tally
    const elsewhere = new Map<number, number>()
    for (const { seq, day, visitor } of others) {
      const added = addVisitor.run(day, seq, visitor).changes
      elsewhere.set(seq, (elsewhere.get(seq) ?? 0) + added)
    }
    // The tables' own order: neighbours lie on one page.
    const seqs = Float64Array.from(tallies.keys()).sort()
    const unique = new Uint32Array(seqs.length)
    for (let i = 0; i < seqs.length; i++) {
      const seq = seqs[i] as number
      const { day, visitors } = tallies.get(seq) as LinkTally
      if (day === -1) continue
      if (typeof visitors === 'string') {
        unique[i] = addVisitor.run(day, seq, visitors).changes
      } else {
        let added = 0
        for (const visitor of visitors) added += addVisitor.run(day, seq, visitor).changes
        unique[i] = added
      }
    }
    for (let i = 0; i < seqs.length; i++) {
      const seq = seqs[i] as number
      const { human, bot, lastClickedAt } = tallies.get(seq) as LinkTally
      const seen = (unique[i] as number) + (others.length === 0 ? 0 : (elsewhere.get(seq) ?? 0))
      const { changes } = addClicks.run(human + bot, human, bot, seen, lastClickedAt, seq)
      if (changes === 0 && admitOne(seq)) {
        addClicks.run(human + bot, human, bot, seen, lastClickedAt, seq)
      }
    }
  }

  return {
    watermark: () => readWatermark.get() ?? { segment: 0, offset: 0 },
    apply(tally, from, to) {
      return transaction(() => {
        const moved = moveWatermark.run(to.segment, to.offset, from.segment, from.offset)
        if (moved.changes === 0) return false
        write(tally)
        return true
      })
    },
    admit(limit) {
      return transaction(() => {
        let left = limit
        for (const { no, links_made } of workspaces.all()) {
          if (left <= 0) break
          const last = no * SEQS_PER_WORKSPACE + links_made
          const first = admitted.get(no)?.link_seq ?? no * SEQS_PER_WORKSPACE
          if (first >= last) continue
          const rows = newLinks.all(first, last, left)
          for (const { seq } of rows) addRow.run(seq, no)
          // All of them: then also those that were made and deleted again are behind us.
          setAdmitted.run(no, rows.length < left ? last : (rows.at(-1)?.seq ?? last))
          left -= rows.length
        }
        return limit - left
      })
    },
    sweep(limit) {
      const rows = rowsAfter.all(swept, limit)
      const last = rows.at(-1)?.link_seq
      if (last === undefined) {
        swept = 0
        return true
      }
      const alive = new Set(linksBetween.all(swept, last).map((row) => row.seq))
      removeAll(rows.map((row) => row.link_seq).filter((seq) => !alive.has(seq)))
      swept = rows.length < limit ? 0 : last
      return rows.length < limit
    },
    forget(seqs) {
      removeAll(seqs.filter((seq) => linkExists.get(seq) === null))
    },
    purge: (now, limit) =>
      purgeVisitors.run(Math.floor(now / DAY_MS) - VISITOR_DAYS_KEPT, limit).changes,
    linksVersion: () => version.get()?.data_version ?? 0,
  }
}

function workspaceOf(seq: number): number {
  return Math.floor(seq / SEQS_PER_WORKSPACE)
}
