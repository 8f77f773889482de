import type { Logger } from '../base/logger.ts'
import { type Letter, type Mail, writeMail } from './message.ts'

/** Sends messages, in the background: nobody can tell by the time of an answer whether one went. */
export interface Mailer {
  /** Whether messages can be sent at all. */
  readonly available: boolean
  /** Sends a message soon. Failures are tried again, then logged. */
  send(mail: Mail): void
  /** Waits for those on their way, for a moment. */
  close(): Promise<void>
}

/** Hands a letter to a mail server. */
export type Deliver = (letter: Letter) => Promise<void>

/** Messages that wait; beyond that they are refused, and logged. */
const WAITING_AT_MOST = 500
const RETRY_AFTER_MS = [2_000, 15_000]
const CLOSE_WITHIN_MS = 1_000

/** See {@link Mailer}. Without a way to deliver, nothing is sent. */
export function createMailer(deps: {
  deliver: Deliver | null
  baseUrl: string
  logger: Logger
  retryAfterMs?: readonly number[]
}): Mailer {
  const { deliver, baseUrl, logger, retryAfterMs = RETRY_AFTER_MS } = deps
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  async function deliverAtLast(letter: Letter, kind: string, deliver: Deliver): Promise<void> {
    for (const pauseMs of [...retryAfterMs, null]) {
      try {
        return await deliver(letter)
      } catch (err) {
        // The log says nothing of to whom.
        const message = err instanceof Error ? reasonOf(err) : 'unknown'
        if (pauseMs === null || closing.signal.aborted) {
          logger.error({ mail: kind, reason: message }, 'A message could not be sent')
          return
        }
        logger.warn({ mail: kind, reason: message }, 'A message could not be sent yet')
        await pause(pauseMs, closing.signal)
      }
    }
  }

  return {
    available: deliver !== null,
    send(mail) {
      if (deliver === null) return
      if (underWay.size >= WAITING_AT_MOST) {
        logger.error({ mail: mail.kind }, 'Too many messages wait; one was not sent')
        return
      }
      const sending = deliverAtLast(writeMail(mail, baseUrl), mail.kind, deliver)
      underWay.add(sending)
      sending.finally(() => underWay.delete(sending))
    },
    async close() {
      closing.abort()
      const late = pause(CLOSE_WITHIN_MS, AbortSignal.timeout(CLOSE_WITHIN_MS))
      await Promise.race([Promise.all(underWay), late])
    },
  }
}

/** A server's answer can repeat the address: only its code is told. */
function reasonOf(error: Error): string {
  const { code, responseCode } = error as Error & { code?: string; responseCode?: number }
  return [code, responseCode].filter((part) => part !== undefined).join(' ') || error.name
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref?.()
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
