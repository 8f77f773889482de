import { createExport } from '../shared/export.ts'
import type { Engine, LinkFacts } from '../types.ts'
import type { Connection, DuckDb } from './database.ts'
import { dialect } from './dialect.ts'
import { createExportPages } from './export.ts'

export { type DuckDb, OldFormat, openDuckDb } from './database.ts'

/** Queries that run at the same time: each needs memory of its own. */
const QUERIES_AT_ONCE = 3

/** Answers questions from a statistics file. */
export function createDuckDbEngine(database: DuckDb, facts: LinkFacts): Engine {
  const idle: Connection[] = []
  const waiting: (() => void)[] = []
  let busy = 0

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (busy < QUERIES_AT_ONCE) {
      busy++
      return
    }
    const turn = Promise.withResolvers<void>()
    const leave = () => {
      const place = waiting.indexOf(turn.resolve)
      if (place < 0) return
      waiting.splice(place, 1)
      turn.reject(signal?.reason)
    }
    waiting.push(turn.resolve)
    signal?.addEventListener('abort', leave)
    await turn.promise.finally(() => signal?.removeEventListener('abort', leave))
  }

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) busy--
    else next()
  }

  return {
    dialect,
    async query(sql, values, signal) {
      await enter(signal)
      try {
        const connection = idle.pop() ?? (await database.connect())
        try {
          return await connection.run(sql, values, signal)
        } finally {
          idle.push(connection)
        }
      } finally {
        leave()
      }
    },
    export: createExport(createExportPages(database), facts),
  }
}
