import { sql } from 'kysely'
import { SEQS_PER_WORKSPACE, type Storage } from '../../storage/index.ts'
import { isPerson } from '../classify.ts'
import type { Journal } from '../journal.ts'
import { type ClickRecord, decodeRecord } from '../record.ts'
import { readJournal } from '../segment-reader.ts'
import { journalDirectory, type Position } from '../segments.ts'

const TRIES = 5

/**
 * Counts the people who followed a link up to now: those counted by all nodes, and those whose
 * clicks wait in this node's journal. What waits on other nodes is missing: what came there since
 * their last pass, a tenth of a second at little load and five seconds at most, unless such a node
 * is stuck. From the moment at which a limit is set, each use is counted exactly, on all nodes.
 */
export function createSharedPeopleSoFar(options: {
  dataDir: string
  nodeNo: number
  storage: Pick<Storage, 'read'>
  journal: Pick<Journal, 'waiting'>
}): (linkSeq: number) => Promise<number> {
  const { dataDir, nodeNo, storage, journal } = options
  const directory = journalDirectory(dataDir)

  return async (linkSeq) => {
    for (let tries = 1; ; tries++) {
      // One statement, one snapshot: the counter and the watermark belong together.
      const { rows } = await sql<{ human: number | null } & Position>`
        SELECT human, segment, "offset" FROM node_watermarks
        LEFT JOIN link_counters ON link_seq = ${linkSeq}
          AND workspace_no = ${Math.floor(linkSeq / SEQS_PER_WORKSPACE)}
        WHERE node_no = ${nodeNo}`.execute(storage.read.db)
      const row = rows[0]
      let people = row?.human ?? 0
      const add = (record: ClickRecord) => {
        if (record[2] === linkSeq && isPerson(record[3], record[5])) people++
      }
      try {
        const from = { segment: row?.segment ?? 0, offset: row?.offset ?? 0 }
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
