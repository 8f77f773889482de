import { copyFileSync, existsSync, constants as fs } from 'node:fs'
import { drainJournal } from '../backend/drain.ts'
import { silentLogger } from '../base/logger.ts'
import { Refused } from '../errors/index.ts'
import { openDuckDb } from '../statistics/engine/duckdb/index.ts'
import { statisticsFile } from '../statistics/process/index.ts'
import { askStatistics } from '../statistics/process/socket.ts'
import { stateOf } from '../statistics/process/store-state.ts'
import { databaseFiles, openSqlite, type SqliteConnection } from '../storage/index.ts'

/** The statistics process sends a line twice a second, also while it finishes a write. */
const SILENT_AT_MOST_MS = 10_000
const RETRY_MS = 200

/** A single-machine instance, opened for reading. */
export type Source = Awaited<ReturnType<typeof openSource>>

/**
 * Opens a data directory. Where no server runs, the clicks that the journal still holds are counted
 * and stored first. Links are read last, so that the links of all clicks are there.
 * @param scratch a directory for copies
 * @param isRunning the server runs: it owns the statistics file and the journal
 * @throws Refused
 */
export async function openSource(
  dataDir: string,
  options: {
    scratch: string
    geoipDatabase: string | null
    plansFile: string | null
    isRunning: boolean
    /** How long the statistics process may take to pause its writes. */
    pauseWithinMs?: number
  },
) {
  const { scratch, geoipDatabase, plansFile, isRunning, pauseWithinMs = 60_000 } = options
  if (!isRunning) {
    await drainJournal({ dataDir, scaled: null, geoipDatabase, plansFile, logger: silentLogger })
  }
  const file = statisticsFile(isRunning ? scratch : dataDir)
  if (isRunning) await copyStatistics(dataDir, file, pauseWithinMs)
  // Before the first click of a running instance there is no file: an empty one is created.
  const clicks = await openDuckDb(file, { readonly: existsSync(file) })
  const files = databaseFiles(dataDir)
  const counters = openSnapshot(files.counters)
  const main = openSnapshot(files.main)
  return {
    /** In a transaction that began at `asOf`, in milliseconds since the Unix epoch. */
    main,
    counters,
    clicks,
    asOf: Date.now(),
    close() {
      for (const database of [clicks, counters, main]) database.close()
    },
  }
}

/** Opens a database in a transaction that reads its current state. */
function openSnapshot(file: string): SqliteConnection {
  // Read from end to end, once: a memory map would only evict pages that the server needs.
  const connection = openSqlite(file, { readonly: true, mmapBytes: 0 })
  connection.raw.run('BEGIN')
  connection.raw.query('SELECT count(*) FROM sqlite_schema').get()
  return connection
}

async function copyStatistics(dataDir: string, to: string, withinMs: number): Promise<void> {
  const from = statisticsFile(dataDir)
  if (!existsSync(from)) return
  const resume = await pauseWrites(dataDir, withinMs)
  try {
    // The log first: closing the file itself ends this process's lock on it (fcntl(2)).
    for (const suffix of ['.wal', '']) {
      if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix, fs.COPYFILE_FICLONE)
    }
  } finally {
    resume()
  }
}

/**
 * Keeps the statistics file unchanged until the returned function is called: by its lock while no
 * process has it open, otherwise by asking the statistics process.
 * @throws Refused when that process runs and does not answer
 */
async function pauseWrites(dataDir: string, withinMs: number): Promise<() => void> {
  for (const end = performance.now() + withinMs; performance.now() < end; ) {
    try {
      return (await openDuckDb(statisticsFile(dataDir), { readonly: true })).close
    } catch (error) {
      if (stateOf(error) !== 'locked') throw error
    }
    const paused = new AbortController()
    // It rejects while the process is starting or ending.
    if (await areWritesPaused(dataDir, paused, end).catch(() => false)) return () => paused.abort()
    paused.abort()
    await Bun.sleep(RETRY_MS)
  }
  const message = 'The statistics process does not pause its writes. Stop the server, or try again'
  throw new Refused('STATISTICS_BUSY', message)
}

/** Asks the statistics process to pause its writes, and waits while it finishes one. */
async function areWritesPaused(
  dataDir: string,
  paused: AbortController,
  end: number,
): Promise<boolean> {
  const silence = setTimeout(() => paused.abort(), SILENT_AT_MOST_MS)
  try {
    const answer = await askStatistics(dataDir, 'lock-writes', [], paused.signal)
    const reader = answer.ok ? answer.body?.getReader() : undefined
    for (let text = ''; reader !== undefined && performance.now() < end; silence.refresh()) {
      const { done, value } = await reader.read()
      if (done) break
      text += new TextDecoder().decode(value)
      if (text.includes('locked\n')) return true
    }
    return false
  } finally {
    clearTimeout(silence)
  }
}
