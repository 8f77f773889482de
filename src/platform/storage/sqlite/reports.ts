import { THREAD_PROGRAM } from '../../../lib/base/own-program.ts'
import { type Execute, sqlOver } from '../kysely.ts'
import { type Sql, StorageUnavailable } from '../storage.ts'
import type { OpenOptions } from './connection.ts'

/** Reads on a separate thread and connection. Starts the thread with the first query. */
export function createReports(
  { ask }: Pick<ReturnType<typeof createThread>, 'ask'>,
  guard: (execute: Execute) => Execute,
): Sql {
  return sqlOver(
    'sqlite',
    guard(async (text, values) => ({ rows: await ask(text, values) })),
  )
}

/** How long the thread may be idle before it ends, to free its memory. */
const IDLE_MS = 60_000

/** What a thread opens at its start. */
export interface ThreadStart {
  file: string
  options: OpenOptions
}

/** A query. */
export interface ThreadRequest {
  id: number
  sql: string
  parameters: readonly unknown[]
}

/** The response to a query. */
export type ThreadReply = { id: number; rows: unknown[] } | { id: number; failed: string }

/** A connection on a separate thread, for what would block the serving thread. */
export function createThread(start: ThreadStart) {
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
    const started = new Worker(THREAD_PROGRAM, { smol: true })
    started.onmessage = ({ data }: MessageEvent<ThreadReply>) => {
      const request = waiting.get(data.id)
      waiting.delete(data.id)
      if ('rows' in data) request?.resolve(data.rows)
      else request?.reject(new StorageUnavailable(data.failed))
    }
    started.onerror = () => {
      if (worker === started) stop()
    }
    started.postMessage(start)
    return started
  }

  return {
    /** Starts the thread if there is none. @throws StorageUnavailable */
    ask(sql: string, parameters: readonly unknown[] = []): Promise<unknown[]> {
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
    /** The next query opens the files again; queries in progress finish with the old ones. */
    renew(): void {
      const before = worker
      worker = undefined
      setTimeout(() => before?.terminate(), IDLE_MS).unref()
    },
    close(): void {
      clearTimeout(idleTimer)
      stop()
    },
  }
}
