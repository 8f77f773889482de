import { existsSync, readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Where Linux lists the threads of this process, by their ids. */
const THREADS = '/proc/self/task'

/**
 * Lowers the priority of this process to a niceness (see setpriority(2)), if it has a higher one. Linux gives
 * each thread its own, and work is done by threads that run already; those that start later have that of
 * their maker.
 */
export function beNice(niceness: number): void {
  const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [process.pid]
  for (const thread of threads) {
    try {
      if (getPriority(thread) < niceness) setPriority(thread, niceness)
    } catch {
      // Not allowed here, or it has ended meanwhile.
    }
  }
}
