import type { Logger } from '../../base/logger.ts'
import type { Child } from '../../clicks/index.ts'
import { endsWith } from '../shared/streams.ts'
import {
  type AskableReports,
  type ClickReports,
  type Counts,
  type Series,
  StatisticsUnavailable,
} from '../types.ts'
import { fromWire, type Question, STREAM_HEADER, type WireClick } from './wire.ts'

/** The longest that a report may take, and the start of the process for it. */
const ANSWER_WITHIN_MS = 30_000
const READY_WITHIN_MS = 15_000
/** A process that has just ended for want of work is started again by the question. */
const TRIES = 3
/** A process that doesn't take the question is on its way out: its end is told within this. */
const END_WITHIN_MS = 3_000

/** The statistics as the serving process asks for them. */
export interface StatisticsClient extends AskableReports {
  /** The process takes questions at this socket. */
  ready(socket: string): void
  /** The process has ended. */
  gone(): void
}

/** @param wake starts the process if it doesn't run */
export function createStatisticsClient(
  wake: Child['wake'],
  logger?: Pick<Logger, 'info' | 'warn'>,
): StatisticsClient {
  let isAway = false
  let socket: string | null = null
  let waiting: PromiseWithResolvers<string> | null = null
  let ended = Promise.withResolvers<void>()

  async function ready(): Promise<string> {
    if (socket !== null) return socket
    waiting ??= Promise.withResolvers<string>()
    wake()
    const { promise } = waiting
    let timer: Timer | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new StatisticsUnavailable('The statistics process does not start')),
        READY_WITHIN_MS,
      )
    })
    return await Promise.race([promise, late]).finally(() => clearTimeout(timer))
  }

  /** Tells the log when questions begin to fail, and when they don't any more. */
  async function ask(
    question: Question,
    args: readonly unknown[],
    signal: AbortSignal | null,
  ): Promise<Response> {
    try {
      const answer = await send(question, args, signal)
      if (isAway) logger?.info({ question }, 'Questions about clicks are answered again')
      isAway = false
      return answer
    } catch (err) {
      if (!isAway && !signal?.aborted) {
        isAway = true
        logger?.warn({ err, question }, 'Questions about clicks are not answered')
      }
      throw err
    }
  }

  /** @throws StatisticsUnavailable */
  async function send(
    question: Question,
    args: readonly unknown[],
    signal: AbortSignal | null,
  ): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const unix = await ready()
      let answer: Response
      try {
        answer = await post(unix, question, args, signal)
      } catch (cause) {
        if (signal?.aborted || tries === TRIES) {
          throw new StatisticsUnavailable('The statistics process does not answer', { cause })
        }
        if (socket === unix) await Promise.race([ended.promise, Bun.sleep(END_WITHIN_MS)])
        continue
      }
      if (answer.ok) return answer
      throw new StatisticsUnavailable(`The statistics process answered ${answer.status}`)
    }
  }

  function post(
    unix: string,
    question: Question,
    args: readonly unknown[],
    signal: AbortSignal | null,
  ): Promise<Response> {
    return fetch(`http://statistics/${question}`, {
      unix,
      method: 'POST',
      body: JSON.stringify(args),
      headers: { 'content-type': 'application/json' },
      signal,
      keepalive: true,
      timeout: false,
    } as RequestInit)
  }

  function reportsUntil(signal: AbortSignal | null): ClickReports {
    async function json<T>(question: Question, ...args: unknown[]): Promise<T> {
      const late = AbortSignal.timeout(ANSWER_WITHIN_MS)
      const until = signal === null ? late : AbortSignal.any([late, signal])
      const answer = await ask(question, args, until)
      try {
        return (await answer.json()) as T
      } catch (cause) {
        throw new StatisticsUnavailable('The answer broke off', { cause })
      }
    }

    return {
      totals: (selection) => json<Counts>('totals', selection),
      series: (selection, boundaries) => json<Series>('series', selection, boundaries),
      top: (selection, dimension, limit) => json('top', selection, dimension, limit),
      async clicks(selection, options) {
        return (await json<WireClick[]>('clicks', selection, options)).map(fromWire)
      },
      async daily(linkSeqs, firstDay, days) {
        return new Map(await json<[number, number[]][]>('daily', linkSeqs, firstDay, days))
      },
      async export(selection, format) {
        const { body, headers } = await ask('export', [selection, format], signal)
        if (body === null) throw new StatisticsUnavailable('An export without a body')
        if (socket === null) return body
        // Asked once: where the process is gone, the stream is over, too.
        return endsWith(body, post(socket, 'end', [headers.get(STREAM_HEADER)], signal))
      },
    }
  }

  return {
    ...reportsUntil(null),
    until: reportsUntil,
    ready(path) {
      socket = path
      waiting?.resolve(path)
      waiting = null
    },
    gone() {
      socket = null
      ended.resolve()
      ended = Promise.withResolvers()
    },
  }
}
