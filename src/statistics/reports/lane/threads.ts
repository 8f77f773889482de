import type { StatisticsConnection, StatisticsDatabase } from '../../store/duckdb.ts'

/** Reports come in swarms: it takes half a millisecond to start a thread, and to end it. */
const REST_AFTER_MS = 500

/** The threads that work on queries; whatever else is done meanwhile has as many. */
export interface Threads {
  /** Makes a report with all of them. */
  use<T>(work: () => Promise<T>): Promise<T>
}

/**
 * One for a database: the setting is the same for all of its connections. It is changed on one of its
 * own: those of lanes have queries under way.
 * @param restAfterMs after the last report one thread is left
 */
export function createThreads(
  database: Pick<StatisticsDatabase, 'connect'>,
  most: number,
  restAfterMs = REST_AFTER_MS,
): Threads {
  let connection: StatisticsConnection | undefined
  let running = 0
  let set = Promise.resolve(1)
  let resting: Timer | undefined

  function setTo(threads: number): Promise<number> {
    set = set.then(async (before) => {
      if (before === threads) return before
      try {
        connection ??= await database.connect()
        await connection.run(`SET threads = ${threads}`)
        return threads
      } catch {
        // The database has been closed, or the report says what is wrong with it.
        return before
      }
    })
    return set
  }

  return {
    async use(work) {
      clearTimeout(resting)
      running++
      try {
        await setTo(most)
        return await work()
      } finally {
        running--
        if (running === 0) {
          resting = setTimeout(() => void setTo(1), restAfterMs)
          resting.unref()
        }
      }
    },
  }
}
