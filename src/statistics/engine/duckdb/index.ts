import { createWorkQueue } from '../../../platform/limits/index.ts'
import type { Engine } from '../types.ts'
import { isOutOfMemory } from './database.ts'
import { dialect } from './dialect.ts'
import { createExportPages } from './export.ts'
import type { Connection, DuckDb } from './types.ts'

export { openDuckDb } from './database.ts'
export type { DuckDb } from './types.ts'

/** Queries that run at the same time, one per thread of DuckDB: each needs memory of its own. */
const QUERIES_AT_ONCE = 2

/** Runs work of which no two parts may run at the same time. */
type Exclusively = <T>(work: () => Promise<T>) => Promise<T>

/** Answers questions from a statistics file. */
export interface DuckDbEngine extends Engine {
  /** Runs work while no query runs. Only within what runs `exclusively`. */
  withoutQueries<T>(work: () => Promise<T>): Promise<T>
}

/**
 * A query that doesn't fit into memory beside others and beside what is written runs again alone, on one thread.
 * @param exclusively writes to the file run by it, too
 */
export function createDuckDbEngine(
  database: DuckDb,
  exclusively: Exclusively = (work) => work(),
): DuckDbEngine {
  const idle: Connection[] = []
  const queue = createWorkQueue(QUERIES_AT_ONCE)

  async function on<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = idle.pop() ?? (await database.connect())
    try {
      return await work(connection)
    } finally {
      idle.push(connection)
    }
  }

  /** Takes the place of every query, one after another. */
  function withoutQueries<T>(work: () => Promise<T>, places = QUERIES_AT_ONCE): Promise<T> {
    return places === 0 ? work() : queue.run(() => withoutQueries(work, places - 1))
  }

  return {
    dialect,
    withoutQueries: (work) => withoutQueries(work),
    async query(sql, values, signal) {
      const run = (connection: Connection) => connection.run(sql, values, signal)
      try {
        return await queue.run(() => on(run), { signal })
      } catch (error) {
        if (!isOutOfMemory(error)) throw error
        // Each thread has a table of its own.
        const onOneThread = (connection: Connection) =>
          database.onOneThread(connection, () => run(connection))
        return await exclusively(() => withoutQueries(() => on(onOneThread)))
      }
    },
    pages: createExportPages(database),
  }
}
