import type { Logger } from '../../lib/base/logger.ts'
import { watchEnd } from '../../lib/base/streams.ts'
import type { Answers } from '../engine/types.ts'
import type { ClickReports } from '../types.ts'
import { REPORTS } from './client.ts'
import { claimSocket, prepareSocket } from './socket.ts'

/** With more questions open than this, the next one is refused. */
const OPEN_AT_MOST = 100

interface ListenOptions {
  socket: string
  /** Resolves when the store is open; null: it isn't available. */
  answers(): Promise<Answers | null>
  logger?: Pick<Logger, 'warn'> | undefined
}

/**
 * Listens on a Unix socket: POST /{question} with a JSON array of arguments. 503: the store isn't
 * available; 500: the question failed. Error texts go to the log alone.
 */
export function listen({ socket, answers, logger }: ListenOptions) {
  const own = prepareSocket(socket)
  let open = 0
  let endedAt = performance.now()

  function ended(): void {
    open--
    endedAt = performance.now()
  }

  async function handle(request: Request): Promise<Response> {
    if (open >= OPEN_AT_MOST) return new Response(null, { status: 503 })
    open++
    let isStream = false
    // Read before anything is awaited, so that a client that leaves in between is noticed.
    const { signal } = request
    const question = new URL(request.url).pathname.slice(1)
    try {
      const args = (await request.json()) as unknown[]
      const store = await answers()
      if (store === null) return new Response(null, { status: 503 })
      const found = await answer(store, question, args, signal)
      if (found instanceof Response) return found
      const { body, end } = watchEnd(found)
      isStream = true
      void end.then(ended)
      return new Response(body)
    } catch (err) {
      if (!signal.aborted) logger?.warn({ err, question }, 'A statistics query failed')
      return new Response(null, { status: 500 })
    } finally {
      if (!isStream) ended()
    }
  }

  const options = {
    unix: own,
    // A report may take longer than Bun's own limit.
    idleTimeout: 0,
    maxRequestBodySize: 64 * 1024 * 1024,
    development: false,
    fetch: handle,
  }
  const server = Bun.serve(options as unknown as Bun.Serve.Options<undefined>)
  const release = claimSocket(own, socket)
  return {
    /** Milliseconds since the last question or stream ended; 0 while one is open. */
    get idleMs() {
      return open > 0 ? 0 : performance.now() - endedAt
    },
    stop() {
      void server.stop(true)
      release()
    },
  }
}

/** The arguments come from our own client, where they are typed. */
async function answer(
  store: Answers,
  question: string,
  args: readonly unknown[],
  signal: AbortSignal,
): Promise<Response | ReadableStream<Uint8Array>> {
  if (question === 'counters' && store.counters !== undefined) {
    return store.counters(...(args as [number, number]))
  }
  if (question === 'forget' && store.forget !== undefined) {
    return Response.json(await store.forget(...(args as [number, number])))
  }
  if (question === 'lock-writes' && store.lockWrites !== undefined) return store.lockWrites()
  if (question === 'check' && store.check !== undefined) return Response.json(await store.check())
  const reports = store.reportsUntil(signal)
  if (question === 'export') {
    return await reports.export(...(args as Parameters<ClickReports['export']>))
  }
  const report = REPORTS.find((name) => name === question)
  if (report === undefined) return new Response(null, { status: 404 })
  const ask = reports[report] as (...given: readonly unknown[]) => Promise<unknown>
  return Response.json(await ask(...args))
}
