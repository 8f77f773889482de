import { copyFileSync, constants as fs, mkdirSync, rmSync } from 'node:fs'
import { journalDirectory, listSegments, type Position, segmentFile } from '../clicks/index.ts'
import { readJournal } from '../clicks/segment-reader.ts'
import { createSqliteCounters } from '../clicks/sqlite-counters.ts'
import { createTally } from '../clicks/tally.ts'
import { type DuckDb, openDuckDb } from '../statistics/engine/duckdb/index.ts'
import { createClickWriter } from '../statistics/engine/duckdb/write.ts'
import { createEnricher } from '../statistics/enrich/index.ts'
import { statisticsFile } from '../statistics/process/index.ts'
import { ingest } from '../statistics/process/ingest.ts'
import { databaseFiles, openSqlite, type SqliteConnection } from '../storage/index.ts'
import { copyClicks } from './copy-clicks.ts'

/** Links and visitors counted at once. */
const COUNTED_AT_ONCE = 200_000
/** Copying is tried so often, when the journal was trimmed meanwhile. */
const TRIES = 5

/** An embedded instance as of one moment. Reading it changes nothing of it. */
export interface Source {
  /** The main database, in a transaction that began at that moment. */
  readonly main: SqliteConnection
  /** A copy of the counters that has counted the journal to its end. */
  readonly counters: SqliteConnection
  /** A copy of the clicks that holds the journal to its end. */
  readonly clicks: DuckDb
  /** The moment, in milliseconds since the Unix epoch. */
  readonly asOf: number
  close(): void
}

/** What {@link openSource} works with. */
export interface SourceOptions {
  dataDir: string
  /** A directory for the copies, emptied first. */
  scratch: string
  geoipDatabase: string | null
}

/**
 * Opens a data directory whose server may run. What can't be read in place is copied: the counters
 * and the clicks, because the journal's last part is counted and stored in them, and the file of
 * clicks, because its process locks it. Links are read last, so that there are those of all clicks.
 */
export async function openSource(options: SourceOptions): Promise<Source> {
  const { dataDir, scratch, geoipDatabase } = options
  const files = databaseFiles(dataDir)
  const copies = {
    counters: databaseFiles(scratch).counters,
    clicks: statisticsFile(scratch),
    journal: journalDirectory(scratch),
  }
  for (let tries = 1; ; tries++) {
    rmSync(scratch, { recursive: true, force: true })
    mkdirSync(copies.journal, { recursive: true, mode: 0o700 })
    const before = listSegments(journalDirectory(dataDir))
    const copied = await copyClicks(dataDir, copies.clicks, () => {
      copyCounters(files.counters, copies.counters)
      return copyJournal(journalDirectory(dataDir), copies.journal)
    })
    // Read from end to end, once: a map of it would only push out what the server needs.
    const main = openSqlite(files.main, { readonly: true, mmapBytes: 0 })
    // The transaction begins with its first read.
    main.raw.run('BEGIN')
    main.raw.query('SELECT count(*) FROM workspaces').get()
    const asOf = Date.now()
    const counters = openSqlite(copies.counters)
    const counted = await count(counters, main, copies.journal)
    const clicks = await openDuckDb(copies.clicks)
    const stored = await store(clicks, copies.journal, geoipDatabase)
    const close = () => {
      clicks.close()
      counters.close()
      main.raw.run('ROLLBACK')
      main.close()
    }
    if (hasAll(before, copied, Math.min(counted, stored))) {
      return { main, counters, clicks, asOf, close }
    }
    close()
    if (tries === TRIES) throw new Error('The journal is trimmed faster than it can be copied')
  }
}

function copyCounters(from: string, to: string): void {
  const connection = openSqlite(from, { readonly: true })
  try {
    connection.raw.run('VACUUM INTO ?', [to])
  } finally {
  }
}

/** Gives the segments that were still there. */
function copyJournal(from: string, to: string): number[] {
  return listSegments(from).filter((segment) => {
    try {
      copyFileSync(segmentFile(from, segment), segmentFile(to, segment), fs.COPYFILE_FICLONE)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  })
}

/** Whether nothing behind segment `from` was trimmed between the copies. */
function hasAll(before: readonly number[], copied: readonly number[], from: number): boolean {
  const needed = copied.filter((segment) => segment >= from)
  const isLost = before.some((segment) => segment >= from && !copied.includes(segment))
  return !isLost && needed.every((segment, i) => segment === (needed[0] as number) + i)
}

/** Counts the journal to its end. Gives the segment that it began with. */
async function count(
  counters: SqliteConnection,
  main: SqliteConnection,
  directory: string,
): Promise<number> {
  const store = createSqliteCounters(counters, main)
  const first = (await store.watermark()).segment
  for (let complete = false; !complete; ) {
    const from = await store.watermark()
    const tally = createTally()
    const reading = readJournal(directory, from, () => tally.size < COUNTED_AT_ONCE, tally.add)
    if (!isSame(from, reading.end)) await store.apply(tally, { from, to: reading.end }, Date.now())
    complete = reading.complete
  }
  while (await store.maintain([], Date.now()));
  return first
}

/** Stores the journal to its end. Gives the segment that it began with. */
async function store(
  database: DuckDb,
  directory: string,
  geoipDatabase: string | null,
): Promise<number> {
  const writer = await createClickWriter(database)
  const first = writer.watermark.segment
  const enricher = createEnricher({ geoipDatabase })
  try {
    for (let complete = false; !complete; ) {
      ;({ complete } = await ingest({ directory, writer, enrich: enricher.enrich }))
    }
    return first
  } finally {
    enricher.close()
  }
}

function isSame(a: Position, b: Position): boolean {
  return a.segment === b.segment && a.offset === b.offset
}
