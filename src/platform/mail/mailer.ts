import { setTimeout } from 'node:timers/promises'
import type { Logger } from '../../lib/base/logger.ts'
import { type Mail, type RenderedMail, writeMail } from './message.ts'

/** Delivers a message to a mail server. */
export type Deliver = (letter: RenderedMail) => Promise<void>

/** The most waiting messages; beyond that new ones are refused and logged. */
const WAITING_AT_MOST = 500
const RETRY_AFTER_MS = [2_000, 15_000]
const CLOSE_WITHIN_MS = 1_000

/** What becomes of messages, as labels of a metric. `dropped`: too many waited. */
export const MAIL_RESULTS = ['result="sent"', 'result="failed"', 'result="dropped"'] as const

export type Mailer = ReturnType<typeof createMailer>

/**
 * Sends messages in the background, because the response time must not reveal whether one was sent.
 * Without a mail server nothing is sent.
 */
export function createMailer(deps: {
  deliver: Deliver | null
  baseUrl: string
  logger: Logger
  retryAfterMs?: readonly number[]
  /** Called with one of {@link MAIL_RESULTS} for each message. */
  ended?: (result: (typeof MAIL_RESULTS)[number]) => void
}) {
  const { deliver, baseUrl, logger, retryAfterMs = RETRY_AFTER_MS, ended = () => {} } = deps
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  async function deliverAtLast(
    letter: RenderedMail,
    kind: string,
    deliver: Deliver,
  ): Promise<void> {
    for (const pauseMs of [...retryAfterMs, null]) {
      try {
        await deliver(letter)
        return ended('result="sent"')
      } catch (err) {
        // The log must not contain the recipient.
        const message = err instanceof Error ? reasonOf(err) : 'unknown'
        if (pauseMs === null || closing.signal.aborted) {
          logger.error({ mail: kind, reason: message }, 'A message could not be sent')
          return ended('result="failed"')
        }
        logger.warn({ mail: kind, reason: message }, 'A message could not be sent yet')
        const options = { signal: closing.signal, ref: false }
        await setTimeout(pauseMs, undefined, options).catch(() => {})
      }
    }
  }

  return {
    /** Whether a mail server is configured. */
    available: deliver !== null,
    /** How many messages are being sent, or wait for another attempt. */
    waiting: () => underWay.size,
    /** Queues a message. Failures are retried, then logged. */
    send(mail: Mail): void {
      if (deliver === null) return
      if (underWay.size >= WAITING_AT_MOST) {
        logger.error({ mail: mail.kind }, 'Too many messages wait; one was not sent')
        ended('result="dropped"')
        return
      }
      const sending = deliverAtLast(writeMail(mail, baseUrl), mail.kind, deliver)
      underWay.add(sending)
      sending.finally(() => underWay.delete(sending))
    },
    /** Waits briefly for messages being sent. */
    async close(): Promise<void> {
      closing.abort()
      await Promise.race([
        Promise.all(underWay),
        setTimeout(CLOSE_WITHIN_MS, undefined, { ref: false }),
      ])
    },
  }
}

/** A server's answer can contain the address, so only its code is logged. */
function reasonOf(error: Error): string {
  const { code, responseCode } = error as Error & { code?: string; responseCode?: number }
  return [code, responseCode].filter((part) => part !== undefined).join(' ') || error.name
}
