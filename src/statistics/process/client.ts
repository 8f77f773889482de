import type { Logger } from '../../lib/base/logger.ts'
import type { Forgotten } from '../engine/types.ts'
import { type ClickReports, StatisticsUnavailable } from '../types.ts'

/** The reports that are answered as JSON: `POST /{name}` with an array of arguments. */
export const REPORTS = ['series', 'top', 'clicks', 'daily'] as const

/** The longest that a report may take, the start of the process and its wait for others included. */
const ANSWER_WITHIN_MS = 55_000
/** Deleting clicks in ClickHouse rewrites whole parts. */
const FORGET_WITHIN_MS = 120_000
const READY_WITHIN_MS = 15_000
/** How often a question is sent when the process ends before it has answered. */
const TRIES = 3
/** The end of a process that doesn't take the question is noticed within this time. */
const END_WITHIN_MS = 3_000

/** The statistics as the serving process asks for them. @param start starts the process if need be */
export function createStatisticsClient(start: () => void, logger?: Pick<Logger, 'info' | 'warn'>) {
  let isAway = false
  let ready = Promise.withResolvers<string>()
  let socket: string | null = null
  let ended = Promise.withResolvers<void>()

  async function whenReady(): Promise<string> {
    if (socket !== null) return socket
    start()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new StatisticsUnavailable('The statistics process does not start')),
      READY_WITHIN_MS,
    )
    return await Promise.race([ready.promise, late.promise]).finally(() => clearTimeout(timer))
  }

  async function send(question: string, request: RequestInit): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const unix = await whenReady()
      let answer: Response
      try {
        answer = await fetch(`http://statistics/${question}`, { ...request, unix } as RequestInit)
      } catch (cause) {
        const { aborted, reason } = request.signal ?? { aborted: false }
        // The client of the request has left, so nothing is unavailable.
        if (aborted && (reason as Error | null)?.name === 'AbortError') throw reason
        if (aborted || tries === TRIES) {
          throw new StatisticsUnavailable('The statistics process does not answer', { cause })
        }
        // A process that was idle may be ending: the question goes to the next one.
        if (socket === unix) await Promise.race([ended.promise, Bun.sleep(END_WITHIN_MS)])
        continue
      }
      if (answer.ok) return answer
      throw new StatisticsUnavailable(`The statistics process answered ${answer.status}`)
    }
  }

  /** Logs when questions begin to fail, and when they are answered again. */
  async function ask(question: string, args: readonly unknown[], signal: AbortSignal | null) {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(args)
    const request = { method: 'POST', headers, body, signal, keepalive: true, timeout: false }
    try {
      const answer = await send(question, request as RequestInit)
      if (isAway) logger?.info({ question }, 'Statistics queries work again')
      isAway = false
      return answer
    } catch (err) {
      if (!isAway && !signal?.aborted) {
        isAway = true
        logger?.warn({ err, question }, 'Statistics queries fail')
      }
      throw err
    }
  }

  function reportsUntil(signal: AbortSignal | null): ClickReports {
    const reports = REPORTS.map((name) => [
      name,
      async (...args: unknown[]) => {
        const deadline = AbortSignal.timeout(ANSWER_WITHIN_MS)
        const until = signal === null ? deadline : AbortSignal.any([deadline, signal])
        const answer = await ask(name, args, until)
        return await answer.json().catch((cause) => {
          throw new StatisticsUnavailable('The response was interrupted', { cause })
        })
      },
    ])
    return {
      ...(Object.fromEntries(reports) as Pick<ClickReports, (typeof REPORTS)[number]>),
      async export(...args) {
        const { body } = await ask('export', args, signal)
        if (body === null) throw new StatisticsUnavailable('An export without a body')
        return body
      },
    }
  }

  return {
    ...reportsUntil(null),
    until: reportsUntil,
    /** Deletes clicks of a link; see `Answers`. @throws StatisticsUnavailable */
    async forget(linkSeq: number, before: number): Promise<Forgotten> {
      const signal = AbortSignal.timeout(FORGET_WITHIN_MS)
      const answer = await ask('forget', [linkSeq, before], signal)
      return (await answer.json()) as Forgotten
    },
    /** The process answers questions at this socket. */
    ready(at: string): void {
      socket = at
      ready.resolve(at)
    },
    /** The process has ended. */
    gone(): void {
      // Until a process was ready, its successor answers those who wait.
      if (socket !== null) ready = Promise.withResolvers()
      socket = null
      ended.resolve()
      ended = Promise.withResolvers()
    },
  }
}
