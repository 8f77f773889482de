import type { Database } from 'bun:sqlite'
import { isPerson } from './classify.ts'
import type { Journal } from './journal.ts'
import { type ClickRecord, decodeRecord } from './record.ts'
import { readJournal } from './segment-reader.ts'
import { journalDirectory, type Position } from './segments.ts'

const TRIES = 5

/**
 * Counts the people who followed a link up to now: those counted by the worker, and those whose
 * clicks still wait in the journal. Reads the journal's uncounted part in one go; it is short
 * unless the worker is stuck, and is asked for only when a limit is set.
 */
export function createPeopleSoFar(
  dataDir: string,
  reader: Database,
  journal: Pick<Journal, 'waiting'>,
): (linkSeq: number) => number {
  const directory = journalDirectory(dataDir)
  const counted = reader.prepare<{ human: number | null } & Position, [number]>(
    `SELECT human, segment, "offset" FROM counters.journal_watermark
     LEFT JOIN counters.link_counters ON link_seq = ?1 WHERE id = 1`,
  )

  return (linkSeq) => {
    for (let tries = 1; ; tries++) {
      // One statement, one snapshot: the counter and the watermark belong together.
      const row = counted.get(linkSeq)
      let people = row?.human ?? 0
      const add = (record: ClickRecord) => {
        if (record[2] === linkSeq && isPerson(record[3], record[5])) people++
      }
      const from = { segment: row?.segment ?? 0, offset: row?.offset ?? 0 }
      try {
        readJournal(directory, from, () => true, add)
      } catch (error) {
        // The worker has counted and deleted a segment since: ask again.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT' && tries < TRIES) continue
        throw error
      }
      for (const line of journal.waiting().split('\n')) {
        const record = line === '' ? null : decodeRecord(line)
        if (record !== null) add(record)
      }
      return people
    }
  }
}
