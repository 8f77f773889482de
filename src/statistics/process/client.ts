import type { Logger } from '../../base/logger.ts'
import { type AskableReports, type ClickReports, StatisticsUnavailable } from '../types.ts'

/** The reports that are answered as JSON: `POST /{name}` with an array of arguments. */
export const REPORTS = ['totals', 'series', 'top', 'clicks', 'daily'] as const

/** The longest that a report may take, the start of the process included. */
const ANSWER_WITHIN_MS = 30_000
const READY_WITHIN_MS = 15_000
/** How often a question is sent when the process ends before it has answered. */
const TRIES = 3
/** The end of a process that doesn't take the question is noticed within this time. */
const END_WITHIN_MS = 3_000

/** The statistics as the serving process asks for them. */
export interface StatisticsClient extends AskableReports {
  /** The process answers questions at this socket. */
  ready(socket: string): void
  /** The process has ended. */
  gone(): void
}

/** @param start starts the process if it doesn't run */
export function createStatisticsClient(
  start: () => void,
  logger?: Pick<Logger, 'info' | 'warn'>,
): StatisticsClient {
  const connection = new Connection(start, logger)
  return {
    ...reportsUntil(connection, null),
    until: (signal) => reportsUntil(connection, signal),
    ready: (socket) => connection.ready(socket),
    gone: () => connection.gone(),
  }
}

function reportsUntil(connection: Connection, signal: AbortSignal | null): ClickReports {
  async function ask(question: string, args: readonly unknown[]): Promise<unknown> {
    const deadline = AbortSignal.timeout(ANSWER_WITHIN_MS)
    const until = signal === null ? deadline : AbortSignal.any([deadline, signal])
    const answer = await connection.ask(question, args, until)
    try {
      return await answer.json()
    } catch (cause) {
      throw new StatisticsUnavailable('The answer broke off', { cause })
    }
  }

  const reports = REPORTS.map((name) => [name, (...args: unknown[]) => ask(name, args)])
  return {
    ...(Object.fromEntries(reports) as Pick<ClickReports, (typeof REPORTS)[number]>),
    async export(...args) {
      const { body } = await connection.ask('export', args, signal)
      if (body === null) throw new StatisticsUnavailable('An export without a body')
      return body
    },
  }
}

/** Asks the process, which it starts when it doesn't run. */
class Connection {
  #isAway = false
  #socket: string | null = null
  #waiting: PromiseWithResolvers<string> | null = null
  #ended = Promise.withResolvers<void>()

  constructor(
    private readonly start: () => void,
    private readonly logger?: Pick<Logger, 'info' | 'warn'>,
  ) {}

  ready(socket: string): void {
    this.#socket = socket
    this.#waiting?.resolve(socket)
    this.#waiting = null
  }

  gone(): void {
    this.#socket = null
    this.#ended.resolve()
    this.#ended = Promise.withResolvers()
  }

  /** Logs when questions begin to fail, and when they are answered again. @throws StatisticsUnavailable */
  async ask(
    question: string,
    args: readonly unknown[],
    signal: AbortSignal | null,
  ): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(args)
    const request = { method: 'POST', headers, body, signal, keepalive: true, timeout: false }
    try {
      const answer = await this.#send(question, request as RequestInit)
      if (this.#isAway) this.logger?.info({ question }, 'Questions about clicks are answered again')
      this.#isAway = false
      return answer
    } catch (err) {
      if (!this.#isAway && !signal?.aborted) {
        this.#isAway = true
        this.logger?.warn({ err, question }, 'Questions about clicks are not answered')
      }
      throw err
    }
  }

  async #send(question: string, request: RequestInit): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const unix = await this.#whenReady()
      let answer: Response
      try {
        answer = await fetch(`http://statistics/${question}`, { ...request, unix } as RequestInit)
      } catch (cause) {
        if (request.signal?.aborted || tries === TRIES) {
          throw new StatisticsUnavailable('The statistics process does not answer', { cause })
        }
        // A process that was idle may be ending: the question goes to the next one.
        if (this.#socket === unix)
          await Promise.race([this.#ended.promise, Bun.sleep(END_WITHIN_MS)])
        continue
      }
      if (answer.ok) return answer
      throw new StatisticsUnavailable(`The statistics process answered ${answer.status}`)
    }
  }

  async #whenReady(): Promise<string> {
    if (this.#socket !== null) return this.#socket
    this.#waiting ??= Promise.withResolvers<string>()
    this.start()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new StatisticsUnavailable('The statistics process does not start')),
      READY_WITHIN_MS,
    )
    return await Promise.race([this.#waiting.promise, late.promise]).finally(() =>
      clearTimeout(timer),
    )
  }
}
