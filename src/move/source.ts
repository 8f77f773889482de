import { copyFileSync, existsSync, constants as fs } from 'node:fs'
import { systemClock } from '../base/clock.ts'
import { createClickCounter, journalDirectory, openSqliteCounters } from '../clicks/index.ts'
import { type DuckDb, openDuckDb } from '../statistics/engine/duckdb/index.ts'
import { createEnricher } from '../statistics/enrich/index.ts'
import { statisticsFile } from '../statistics/process/index.ts'
import { socketPath } from '../statistics/process/socket.ts'
import { openOwnStore } from '../statistics/process/store.ts'
import { databaseFiles, openSqlite, type SqliteConnection } from '../storage/index.ts'

/** How long the statistics process may take to pause its writes. */
const PAUSE_TIMEOUT_MS = 60_000
/** Clicks are stored within this time: what the server has of older ones doesn't change. */
const SETTLED_MS = 60_000

/** An embedded instance, opened to be read. */
export interface Source {
  /** In a transaction that began at {@link asOf}. */
  readonly main: SqliteConnection
  readonly counters: SqliteConnection
  readonly clicks: DuckDb
  /** Clicks from this time on are left to a later move. */
  readonly before: number
  /** In milliseconds since the Unix epoch. */
  readonly asOf: number
  /** A directory for copies. */
  readonly scratch: string
  close(): void
}

/** What {@link openSource} works with. */
export interface SourceOptions {
  dataDir: string
  scratch: string
  geoipDatabase: string | null
  /** The server runs: it has the clicks open, and counts and stores the journal itself. */
  isRunning: boolean
}

/**
 * Opens a data directory. Where no server runs, what the journal still holds is counted and stored
 * first, as the next start would do it. Links are read last, so that there are those of all clicks.
 */
export async function openSource(options: SourceOptions): Promise<Source> {
  const { dataDir, scratch, isRunning } = options
  if (!isRunning) await processJournal(options)
  const file = isRunning ? await copyStatistics(dataDir, scratch) : statisticsFile(dataDir)
  // Before the first click there is no file: then an empty one is made beside it.
  const clicks = await openDuckDb(file, { readonly: existsSync(file) })
  const files = databaseFiles(dataDir)
  const counters = openSnapshot(files.counters)
  const main = openSnapshot(files.main)
  const asOf = Date.now()
  const before = isRunning ? asOf - SETTLED_MS : Number.MAX_SAFE_INTEGER
  return {
    main,
    counters,
    clicks,
    before,
    asOf,
    scratch,
    close() {
      clicks.close()
      counters.close()
      main.close()
    },
  }
}

/** Opens a database in a transaction that reads what is there now. */
function openSnapshot(file: string): SqliteConnection {
  // Read from end to end, once: a memory map would only evict what the server needs.
  const connection = openSqlite(file, { readonly: true, mmapBytes: 0 })
  connection.raw.run('BEGIN')
  connection.raw.query('SELECT count(*) FROM sqlite_schema').get()
  return connection
}

/** Counts and stores what the journal still holds. */
async function processJournal({ dataDir, geoipDatabase }: SourceOptions): Promise<void> {
  const counter = createClickCounter({
    directory: journalDirectory(dataDir),
    store: openSqliteCounters(dataDir),
    clock: systemClock,
  })
  try {
    while ((await counter.pass()).more);
  } finally {
    await counter.close()
  }
  const { enrich, close } = createEnricher({ geoipDatabase })
  const store = await openOwnStore(dataDir, { clock: systemClock, enrich })
  try {
    while (!(await store.pass()).complete);
  } finally {
    store.close()
    close()
  }
}

/**
 * Copies the statistics file and its log, and returns the path. The statistics process writes
 * nothing meanwhile. It can't make the copy itself: closing the file a second time would lose its
 * lock on it (fcntl(2)).
 */
async function copyStatistics(dataDir: string, scratch: string): Promise<string> {
  const to = statisticsFile(scratch)
  const paused = new AbortController()
  const late = setTimeout(() => paused.abort(), PAUSE_TIMEOUT_MS)
  try {
    const options = { unix: socketPath(dataDir), method: 'POST', body: '[]', signal: paused.signal }
    // It doesn't answer while there is nothing to store, so it writes nothing either.
    const answer = await fetch('http://statistics/lock-writes', options as RequestInit).catch(
      () => null,
    )
    if (answer?.ok === false) throw new Error(`The statistics process answers ${answer.status}`)
    await answer?.body?.getReader().read()
    for (const suffix of ['', '.wal']) {
      const from = statisticsFile(dataDir) + suffix
      if (existsSync(from)) copyFileSync(from, to + suffix, fs.COPYFILE_FICLONE)
    }
    return to
  } finally {
    clearTimeout(late)
    // Ends the pause.
    paused.abort()
  }
}
