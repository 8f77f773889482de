import { existsSync, constants as fs } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { OperatorError } from '../../lib/errors/index.ts'
import { openDuckDb } from '../engine/duckdb/index.ts'
import { statisticsFile } from './files.ts'
import { askStatistics } from './socket.ts'
import { stateOf } from './store-state.ts'

/** The statistics process sends a line twice a second, also while it finishes a write. */
const SILENT_AT_MOST_MS = 10_000
const RETRY_MS = 200

/** The statistics file, which no process changes until it is released. */
interface PausedStatistics {
  /**
   * Copies the file and its log. @throws OperatorError when something may have written to it meanwhile,
   * because the server was stopped or the statistics process was killed
   */
  copyTo(file: string): Promise<void>
  release(): void
}

/**
 * Keeps the statistics file of a data directory unchanged: by its lock while no process has it open,
 * otherwise by asking the statistics process to pause its writes. Null: there is no file yet.
 * @param withinMs how long the statistics process may take
 * @throws OperatorError when that process runs and does not answer
 */
export async function pauseStatistics(
  dataDir: string,
  withinMs: number,
): Promise<PausedStatistics | null> {
  const from = statisticsFile(dataDir)
  if (!existsSync(from)) return null
  for (const end = performance.now() + withinMs; performance.now() < end; ) {
    try {
      const { close } = await openDuckDb(from, { readonly: true })
      return { copyTo: (to) => copyFiles(from, to), release: close }
    } catch (error) {
      if (stateOf(error) !== 'locked') throw error
    }
    const pause = await pauseWrites(dataDir, end)
    if (pause === null) {
      await Bun.sleep(RETRY_MS)
      continue
    }
    return {
      async copyTo(to) {
        await copyFiles(from, to)
        await pause.confirm()
      },
      release: pause.release,
    }
  }
  throw busy('does not pause its writes')
}

/** The log first: closing the file itself ends this process's lock on it (fcntl(2)). */
async function copyFiles(from: string, to: string): Promise<void> {
  for (const suffix of ['.wal', '']) {
    if (existsSync(from + suffix)) await copyFile(from + suffix, to + suffix, fs.COPYFILE_FICLONE)
  }
}

function busy(what: string): OperatorError {
  const advice = 'Stop the server, or try again'
  return new OperatorError('STATISTICS_BUSY', `The statistics process ${what}. ${advice}`)
}

/**
 * Asks the statistics process to pause its writes, and waits while it finishes one. Null: it doesn't
 * answer, as while it starts or ends.
 */
async function pauseWrites(dataDir: string, end: number) {
  const leaving = new AbortController()
  const first = Promise.withResolvers<boolean>()
  let next = Promise.withResolvers<boolean>()

  async function read(): Promise<void> {
    const silence = setTimeout(() => leaving.abort(), SILENT_AT_MOST_MS)
    try {
      const answer = await askStatistics(dataDir, 'lock-writes', [], leaving.signal)
      if (!answer.ok || answer.body === null) return
      const decoder = new TextDecoder()
      for await (const part of answer.body) {
        silence.refresh()
        if (decoder.decode(part).includes('locked\n')) first.resolve(true)
        else if (performance.now() > end) return
        next.resolve(true)
        next = Promise.withResolvers()
      }
    } catch {
      // It isn't there, or has gone.
    } finally {
      clearTimeout(silence)
      first.resolve(false)
      next.resolve(false)
    }
  }

  void read()
  if (!(await first.promise)) {
    leaving.abort()
    return null
  }
  return {
    /** The first line may have been on its way: the second was sent after this call. */
    async confirm() {
      if (!((await next.promise) && (await next.promise))) throw busy('ended during the copy')
    },
    release: () => leaving.abort(),
  }
}
