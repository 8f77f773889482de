import { kyselyOver } from '../kysely.ts'
import { bind, type Prepared, type Sql, StorageUnavailable } from '../storage.ts'
import type { OpenOptions } from './connection.ts'

/** Reads on a thread and a connection of their own. */
export interface Reports extends Sql {
  close(): void
}

/** Starts the thread at the first query. */
export function createReports(file: string, attach: string): Reports {
  const thread = createThread({ file, options: { readonly: true, attach } })
  const db = kyselyOver('sqlite', async ({ sql, parameters }) => ({
    rows: await thread.ask(sql, parameters),
  }))
  return {
    dialect: 'sqlite',
    db,
    async run<P extends object, R>(statement: Prepared<P, R>, parameters: P) {
      const query = statement.compile(db)
      return (await thread.ask(query.sql, bind(query, parameters))) as R[]
    },
    close: thread.close,
  }
}

/** The thread ends after this long without a question: it costs memory. */
const IDLE_MS = 60_000

/** The thread's program; in the packaged executable it has its place below the root of the sources. */
const PROGRAM = Bun.isStandaloneExecutable
  ? './storage/sqlite/thread-main.ts'
  : new URL('./thread-main.ts', import.meta.url)

/** What a thread opens at its start. */
export interface ThreadStart {
  file: string
  options: OpenOptions
}

/** What it is asked. */
export interface ThreadRequest {
  id: number
  sql: string
  parameters: readonly unknown[]
}

/** What it answers. */
export type ThreadReply = { id: number; rows: unknown[] } | { id: number; failed: string }

/** A connection on a thread of its own, for what would hold up the serving thread. */
export interface Thread {
  /** Starts the thread if there is none. @throws StorageUnavailable */
  ask(sql: string, parameters?: readonly unknown[]): Promise<unknown[]>
  close(): void
}

export function createThread(start: ThreadStart): Thread {
  let worker: Worker | undefined
  let lastId = 0
  let idleTimer: Timer | undefined
  const waiting = new Map<number, PromiseWithResolvers<unknown[]>>()

  function stop(): void {
    worker?.terminate()
    worker = undefined
    for (const { reject } of waiting.values()) reject(new StorageUnavailable('The thread stopped'))
    waiting.clear()
  }

  function begin(): Worker {
    const started = new Worker(PROGRAM, { smol: true })
    started.onmessage = ({ data }: MessageEvent<ThreadReply>) => {
      const asker = waiting.get(data.id)
      waiting.delete(data.id)
      if ('rows' in data) asker?.resolve(data.rows)
      else asker?.reject(new StorageUnavailable(data.failed))
    }
    started.onerror = () => stop()
    started.postMessage(start)
    return started
  }

  return {
    ask(sql, parameters = []) {
      worker ??= begin()
      clearTimeout(idleTimer)
      idleTimer = setTimeout(() => {
        if (waiting.size === 0) stop()
      }, IDLE_MS)
      idleTimer.unref()
      const answer = Promise.withResolvers<unknown[]>()
      const id = ++lastId
      waiting.set(id, answer)
      worker.postMessage({ id, sql, parameters } satisfies ThreadRequest)
      return answer.promise
    },
    close() {
      clearTimeout(idleTimer)
      stop()
    },
  }
}
