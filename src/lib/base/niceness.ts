import { existsSync, readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Where Linux lists the threads of this process, by their ids. */
const THREADS = '/proc/self/task'

/**
 * Lowers the priority of all threads of this process to a niceness (setpriority(2)), unless it is
 * lower already. Linux has a priority per thread; new threads inherit that of their creator.
 */
export function lowerPriority(niceness: number): void {
  const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [process.pid]
  for (const thread of threads) {
    try {
      if (getPriority(thread) < niceness) setPriority(thread, niceness)
    } catch {
      // Not permitted, or the thread has ended in the meantime.
    }
  }
}
