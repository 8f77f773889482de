import type { Logger } from '../../base/logger.ts'
import { watchEnd } from '../shared/streams.ts'
import type { ClickReports } from '../types.ts'
import { claimSocket, prepareSocket } from './socket.ts'
import { type Question, STREAM_HEADER, toWire } from './wire.ts'

/** With more questions open than this, whoever asks is told to come again. */
const OPEN_AT_MOST = 100

/** What can be asked while the file is open. */
export interface Answers {
  /** Reports for somebody who may go away: they are broken off then. */
  reportsUntil(signal: AbortSignal): ClickReports
  /** The numbers of links: first ≤ link < end. See `linkNumbers`. */
  recount(range: readonly [first: number, end: number]): ReadableStream<Uint8Array>
  /** See `hold.ts`; absent where there is no file to copy. */
  hold?(): ReadableStream<Uint8Array>
}

/** What {@link listen} works with. */
export interface ListenOptions {
  socket: string
  /** Resolves when the file is open; null: it can't be, for now. */
  answers(): Promise<Answers | null>
  /** Somebody asked. */
  asked(): void
  logger?: Pick<Logger, 'warn'> | undefined
}

/** Takes questions. */
export interface Listening {
  /** Questions and streams that aren't finished. */
  readonly open: number
  /** When the question came that has waited longest, by `performance.now()`; streams are none. */
  readonly oldest: number | null
  /** An export is under way. */
  readonly exporting: boolean
  stop(): void
}

/**
 * Listens on a Unix socket: POST /{question} with a JSON array of arguments. 503: the file can't be
 * asked now; 500: the question failed. The texts stay here, in the log.
 */
export function listen({ socket, answers, asked, logger }: ListenOptions): Listening {
  const own = prepareSocket(socket)
  /** When they came, the oldest first. */
  const questions = new Set<{ since: number }>()
  /** When the streams that are under way are over, by what they are asked for. */
  const ends = new Map<string, Promise<void>>()
  let streams = 0
  let exports = 0

  function streamed(made: ReadableStream<Uint8Array>, isExport = false): Response {
    const { body, end } = watchEnd(made)
    const id = crypto.randomUUID()
    ends.set(id, end)
    streams++
    if (isExport) exports++
    void end.then(() => {
      ends.delete(id)
      streams--
      if (isExport) exports--
      asked()
    })
    return new Response(body, { headers: { [STREAM_HEADER]: id } })
  }

  async function answer(
    question: Question,
    args: unknown[],
    signal: AbortSignal,
  ): Promise<Response> {
    const known = await answers()
    if (known === null) return new Response(null, { status: 503 })
    const { recount } = known
    const reports = known.reportsUntil(signal)
    // What our own client sends: it is typed there.
    const [first, second, third] = args as never[]
    switch (question) {
      case 'totals':
        return Response.json(await reports.totals(first as never))
      case 'series':
        return Response.json(await reports.series(first as never, second as never))
      case 'top':
        return Response.json(await reports.top(first as never, second as never, third as never))
      case 'clicks':
        return Response.json(
          (await reports.clicks(first as never, second as never)).map((click) => toWire(click)),
        )
      case 'daily':
        return Response.json([
          ...(await reports.daily(first as never, second as never, third as never)),
        ])
      case 'export':
        return streamed(await reports.export(first as never, second as never), true)
      case 'recount':
        return streamed(recount(first as never))
      case 'hold':
        if (known.hold === undefined) return new Response(null, { status: 404 })
        return streamed(known.hold())
      default:
        return new Response(null, { status: 404 })
    }
  }

  const options = {
    unix: own,
    // A report may take longer than Bun's own bound for silence.
    idleTimeout: 0,
    maxRequestBodySize: 64 * 1024 * 1024,
    development: false,
    async fetch(request: Request): Promise<Response> {
      asked()
      if (questions.size >= OPEN_AT_MOST) return new Response(null, { status: 503 })
      const asking = { since: performance.now() }
      questions.add(asking)
      // Before anything is awaited: who leaves meanwhile is noticed by it.
      const { signal } = request
      const question = new URL(request.url).pathname.slice(1) as Question
      try {
        const args = (await request.json()) as unknown[]
        if (question === 'end') {
          // Nobody is kept waiting, nor the process from its end: that is up to the stream.
          questions.delete(asking)
          await ends.get(args[0] as string)
          return new Response(null, { status: 204 })
        }
        return await answer(question, args, signal)
      } catch (error) {
        if (!signal.aborted) {
          logger?.warn({ err: error, question }, 'A question about clicks failed')
        }
        return new Response(null, { status: 500 })
      } finally {
        questions.delete(asking)
        asked()
      }
    },
  }
  const server = Bun.serve(options as unknown as Bun.Serve.Options<undefined>)
  const release = claimSocket(own, socket)
  return {
    get open() {
      return streams + questions.size
    },
    get oldest() {
      const [oldest] = questions
      return oldest?.since ?? null
    },
    get exporting() {
      return exports > 0
    },
    stop() {
      void server.stop(true)
      release()
    },
  }
}
