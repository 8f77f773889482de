import { createWorkQueue } from '../../../platform/limits/index.ts'
import type { Engine } from '../types.ts'
import { dialect } from './dialect.ts'
import { createExportPages } from './export.ts'
import type { Connection, DuckDb } from './types.ts'

export { openDuckDb } from './database.ts'
export type { DuckDb } from './types.ts'

/** Queries that run at the same time, one per thread of DuckDB: each needs memory of its own. */
const QUERIES_AT_ONCE = 2

/** Answers questions from a statistics file. */
export function createDuckDbEngine(database: DuckDb): Engine {
  const idle: Connection[] = []
  const queue = createWorkQueue(QUERIES_AT_ONCE)
  return {
    dialect,
    query: (sql, values, signal) =>
      queue.run(
        async () => {
          const connection = idle.pop() ?? (await database.connect())
          try {
            return await connection.run(sql, values, signal)
          } finally {
            idle.push(connection)
          }
        },
        { signal },
      ),
    pages: createExportPages(database),
  }
}
