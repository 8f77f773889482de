import { copyFileSync, constants as fs, rmSync, statSync } from 'node:fs'
import { statisticsFile } from '../statistics/process/index.ts'
import { socketPath } from '../statistics/process/socket.ts'

/** How long the file is tried to be copied while others write to it. */
const WITHIN_MS = 60_000
const TRY_AGAIN_MS = 200
/** The statistics process comes to the end of a batch, or of a step of its upkeep. */
const HELD_WITHIN_MS = 30_000
/** The file system's clock is no finer than this: who wrote a moment ago may write again unseen. */
const CLOCK_MS = 50

/** The statistics file was written to all the while. */
export class StatisticsBusy extends Error {
  override name = 'StatisticsBusy'
}

/**
 * Copies the statistics file, with its log, as of one moment; `during` runs right after it, while
 * the statistics process still writes nothing. No file: only `during`.
 *
 * The process is asked to hold; whoever else might write (it may start or end meanwhile) is noticed
 * by the files' times. The copy is made here and not by the process, which would lose its lock on
 * the file by closing it a second time (fcntl(2)).
 * @throws StatisticsBusy
 */
export async function copyClicks<T>(dataDir: string, to: string, during: () => T): Promise<T> {
  const from = statisticsFile(dataDir)
  for (const end = performance.now() + WITHIN_MS; ; await Bun.sleep(TRY_AGAIN_MS)) {
    const letGo = await hold(dataDir)
    try {
      const before = stampOf(from)
      if (Date.now() - before.newestMs >= CLOCK_MS) {
        for (const suffix of ['', '.wal']) {
          rmSync(to + suffix, { force: true })
          if (before.sizes[suffix] !== undefined) {
            copyFileSync(from + suffix, to + suffix, fs.COPYFILE_FICLONE)
          }
        }
        if (stampOf(from).text === before.text) return during()
      }
    } catch (error) {
      // Its log goes when it is moved into the file.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    } finally {
      await letGo()
    }
    if (performance.now() > end) {
      throw new StatisticsBusy('The statistics file is written to all the while')
    }
  }
}

/** When the file and its log were written last, and how long they are. */
function stampOf(file: string) {
  const sizes: Record<string, number> = {}
  let text = ''
  let newestMs = 0
  for (const suffix of ['', '.wal']) {
    const found = statSync(file + suffix, { throwIfNoEntry: false, bigint: true })
    if (found === undefined) continue
    sizes[suffix] = Number(found.size)
    text += `${suffix} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}\n`
    newestMs = Math.max(newestMs, Number(found.mtimeMs))
  }
  return { sizes, text, newestMs }
}

/** Asks the statistics process to write nothing; it doesn't when it isn't there. Gives what ends it. */
async function hold(dataDir: string): Promise<() => Promise<void>> {
  const leaving = new AbortController()
  const late = setTimeout(() => leaving.abort(), HELD_WITHIN_MS)
  try {
    const { body } = await fetch('http://statistics/lock-writes', {
      unix: socketPath(dataDir),
      method: 'POST',
      body: '[]',
      signal: leaving.signal,
    } as RequestInit)
    const reader = body?.getReader()
    await reader?.read()
    return async () => {
      await reader?.cancel().catch(() => {})
      leaving.abort()
    }
  } catch {
    return async () => {}
  } finally {
    clearTimeout(late)
  }
}
