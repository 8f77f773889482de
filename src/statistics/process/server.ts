import type { Logger } from '../../base/logger.ts'
import { watchEnd } from '../shared/streams.ts'
import type { ClickReports } from '../types.ts'
import { claimSocket, prepareSocket } from './socket.ts'
import type { Question } from './wire.ts'

/** With more questions open than this, the next one is refused. */
const OPEN_AT_MOST = 100

/** What can be asked while the store is open. */
export interface Answers {
  /** Reports that are cancelled by the signal. */
  reportsUntil(signal: AbortSignal): ClickReports
  /** The numbers of links: first ≤ link < end. See `linkNumbers`; absent where commands read them. */
  recount?(range: readonly [first: number, end: number]): ReadableStream<Uint8Array>
  /** See `write-lock.ts`; absent where there is no file to copy. */
  lockWrites?(): ReadableStream<Uint8Array>
  /** See `checkFile`; absent where there is no file. */
  check?(): Promise<number>
}

/** What {@link listen} works with. */
export interface ListenOptions {
  socket: string
  /** Resolves when the store is open; null: it isn't available. */
  answers(): Promise<Answers | null>
  logger?: Pick<Logger, 'warn'> | undefined
}

/** Answers questions. */
export interface Listening {
  /** Questions and streams that aren't finished. */
  readonly open: number
  /** Milliseconds since the last question or stream ended; 0 while one is open. */
  readonly idleMs: number
  stop(): void
}

/**
 * Listens on a Unix socket: POST /{question} with a JSON array of arguments. 503: the store isn't
 * available; 500: the question failed. Error texts go to the log alone.
 */
export function listen({ socket, answers, logger }: ListenOptions): Listening {
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
    const stream = (made: ReadableStream<Uint8Array>): Response => {
      const { body, end } = watchEnd(made)
      isStream = true
      void end.then(ended)
      return new Response(body)
    }
    // Read before anything is awaited, so that a client that leaves in between is noticed.
    const { signal } = request
    const question = new URL(request.url).pathname.slice(1) as Question
    try {
      const args = (await request.json()) as never[]
      const store = await answers()
      if (store === null) return new Response(null, { status: 503 })
      return await answer(store, question, args, { signal, stream })
    } catch (err) {
      if (!signal.aborted) logger?.warn({ err, question }, 'A question about clicks failed')
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
    get open() {
      return open
    },
    get idleMs() {
      return open > 0 ? 0 : performance.now() - endedAt
    },
    stop() {
      void server.stop(true)
      release()
    },
  }
}

interface Answering {
  signal: AbortSignal
  stream(made: ReadableStream<Uint8Array>): Response
}

/** The arguments come from our own client, where they are typed. */
async function answer(
  store: Answers,
  question: Question,
  [first, second, third]: never[],
  { signal, stream }: Answering,
): Promise<Response> {
  const reports = store.reportsUntil(signal)
  switch (question) {
    case 'totals':
      return Response.json(await reports.totals(first as never))
    case 'series':
      return Response.json(await reports.series(first as never, second as never))
    case 'top':
      return Response.json(await reports.top(first as never, second as never, third as never))
    case 'clicks':
      return Response.json(await reports.clicks(first as never, second as never))
    case 'daily':
      return Response.json([
        ...(await reports.daily(first as never, second as never, third as never)),
      ])
    case 'export':
      return stream(await reports.export(first as never, second as never))
    case 'recount':
      if (store.recount !== undefined) return stream(store.recount(first as never))
      break
    case 'lock-writes':
      if (store.lockWrites !== undefined) return stream(store.lockWrites())
      break
    case 'check':
      if (store.check !== undefined) return Response.json(await store.check())
  }
  return new Response(null, { status: 404 })
}
