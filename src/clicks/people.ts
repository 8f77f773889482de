import type { Database } from 'bun:sqlite'
import { sql } from 'kysely'
import { SEQS_PER_WORKSPACE, type Storage } from '../platform/storage/index.ts'
import { isPerson } from './classify.ts'
import type { Journal } from './journal.ts'
import { type ClickRecord, decodeRecord } from './record.ts'
import { readJournal } from './segment-reader.ts'
import type { Position } from './segments.ts'

const TRIES = 5

/**
 * People by a link's counter, with the watermark of the journal in the same snapshot. `human` is
 * null if the link has no row of counters yet.
 */
type CountedPeople = Position & { human: number | null }

/** Reads counter and watermark in one statement, so that they are consistent. */
type ReadCounted = (linkSeq: number) => CountedPeople | null | Promise<CountedPeople | null>

/**
 * Counts the people who have followed a link: those in the counters, and those in the uncounted
 * part of this machine's journal. That part is short unless the worker is stuck, and is only read
 * when a limit is set. Uncounted clicks of other nodes are missing: at most five seconds' unless
 * such a node is stuck. Once a limit is set, each use is counted exactly, on all nodes.
 */
export function createPeopleSoFar(options: {
  /** The journal's directory. */
  directory: string
  journal: Pick<Journal, 'waiting'>
  counted: ReadCounted
}): (linkSeq: number) => number | Promise<number> {
  const { directory, journal, counted } = options

  function waitingIn(linkSeq: number, from: Position): number {
    let people = 0
    const add = (record: ClickRecord) => {
      if (record[2] === linkSeq && isPerson(record[3], record[5])) people++
    }
    readJournal(directory, from, () => true, add)
    for (const line of journal.waiting().split('\n')) {
      const record = line === '' ? null : decodeRecord(line)
      if (record !== null) add(record)
    }
    return people
  }

  function peopleSoFar(linkSeq: number, tries: number): number | Promise<number> {
    const add = (row: CountedPeople | null) => {
      try {
        return (row?.human ?? 0) + waitingIn(linkSeq, row ?? { segment: 0, offset: 0 })
      } catch (error) {
        // The worker has counted and deleted a segment in the meantime: start over.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === 1) throw error
        return peopleSoFar(linkSeq, tries - 1)
      }
    }
    const row = counted(linkSeq)
    // Synchronous if possible, so that no click can come between the count and its use.
    return row instanceof Promise ? row.then(add) : add(row)
  }

  return (linkSeq) => peopleSoFar(linkSeq, TRIES)
}

/** Reads the counters attached to a connection of the main database. */
export function countedInSqlite(reader: Database): ReadCounted {
  const statement = reader.prepare<CountedPeople, [number]>(
    `SELECT human, segment, "offset" FROM counters.journal_watermark
     LEFT JOIN counters.link_counters ON link_seq = ?1 WHERE id = 1`,
  )
  return (linkSeq) => statement.get(linkSeq)
}

/** Reads the counters shared by nodes. */
export function countedInPostgres(storage: Pick<Storage, 'read'>, nodeNo: number): ReadCounted {
  return async (linkSeq) => {
    const { rows } = await sql<CountedPeople>`
      SELECT human, segment, "offset" FROM node_watermarks
      LEFT JOIN link_counters ON link_seq = ${linkSeq}
        AND workspace_no = ${Math.floor(linkSeq / SEQS_PER_WORKSPACE)}
      WHERE node_no = ${nodeNo}`.execute(storage.read.db)
    return rows[0] ?? null
  }
}
