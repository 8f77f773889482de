import {
  type CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Schema } from '../schema.ts'
import { bind, type Prepared, type Sql, StorageUnavailable } from '../storage.ts'

/** The thread ends after this long without a question: it costs memory. */
const IDLE_MS = 60_000

/** What the thread is asked. */
export interface ReportRequest {
  id: number
  sql: string
  parameters: readonly unknown[]
}

/** What it answers. */
export type ReportReply = { id: number; rows: unknown[] } | { id: number; failed: string }

/** Reads on a thread and a connection of their own. */
export interface Reports extends Sql {
  close(): void
}

/** Starts the thread at the first question. */
export function createReports(file: string, attach: string): Reports {
  let worker: Worker | undefined
  let lastId = 0
  let idleTimer: Timer | undefined
  const waiting = new Map<number, PromiseWithResolvers<unknown[]>>()

  function stop(): void {
    worker?.terminate()
    worker = undefined
    for (const { reject } of waiting.values()) reject(new StorageUnavailable('The reader stopped'))
    waiting.clear()
  }

  function start(): Worker {
    const started = new Worker(new URL('./reports-thread.ts', import.meta.url), { smol: true })
    started.onmessage = ({ data }: MessageEvent<ReportReply>) => {
      const asker = waiting.get(data.id)
      waiting.delete(data.id)
      if ('rows' in data) asker?.resolve(data.rows)
      else asker?.reject(new StorageUnavailable(data.failed))
    }
    started.onerror = () => stop()
    started.postMessage({ file, attach })
    return started
  }

  function ask(query: CompiledQuery, parameters: readonly unknown[]): Promise<unknown[]> {
    worker ??= start()
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => {
      if (waiting.size === 0) stop()
    }, IDLE_MS)
    idleTimer.unref()
    const answer = Promise.withResolvers<unknown[]>()
    const id = ++lastId
    waiting.set(id, answer)
    worker.postMessage({ id, sql: query.sql, parameters } satisfies ReportRequest)
    return answer.promise
  }

  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => ({
          executeQuery: async <R>(query: CompiledQuery) => ({
            rows: (await ask(query, query.parameters)) as R[],
          }),
          streamQuery() {
            throw new Error('Reports do not stream')
          },
        }),
        beginTransaction: refuse,
        commitTransaction: refuse,
        rollbackTransaction: refuse,
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
    },
  })
  return {
    db,
    async run<P extends object, R>(statement: Prepared<P, R>, parameters: P) {
      const query = statement.compile(db)
      return (await ask(query, bind(query, parameters))) as R[]
    },
    close() {
      clearTimeout(idleTimer)
      stop()
    },
  }
}

async function refuse(): Promise<never> {
  throw new Error('Reports only read')
}
