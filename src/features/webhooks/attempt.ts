import type { Clock } from '../../lib/base/clock.ts'
import type { Random } from '../../lib/base/random.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import {
  AddressNotAllowed,
  type Outgoing,
  type OutgoingAnswer,
} from '../../platform/outgoing/index.ts'
import type { Attempt } from './schemas.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after an attempt the next one is made (Standard Webhooks 1.0); the first is made immediately. */
const PAUSES = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
]
/** A pause is longer by up to this part of it, so that receivers don't get all retries together. */
const JITTER = 0.1
const RETRY_AFTER_MAX_MS = 24 * HOUR
const TIMEOUT_MS = 15 * SECOND
const RESPONSE_BYTES = 1_024

/** When the attempt after `tries` others is made; null: there is none. `asked`: by the receiver. */
export function nextAttemptAt(
  { clock, random }: { clock: Clock; random: Random },
  tries: number,
  asked: number | null,
): number | null {
  const pause = PAUSES[tries - 1]
  if (pause === undefined) return null
  const [byte = 0] = random.bytes(1)
  const ms = pause * (1 + (JITTER * byte) / 255)
  return clock.now() + Math.round(Math.max(ms, Math.min(asked ?? 0, RETRY_AFTER_MAX_MS)))
}

/** The outcome of a request. */
export interface Outcome {
  attempt: Attempt
  isSuccess: boolean
  /** How long the receiver wants to be left alone, in milliseconds; null: it doesn't say. */
  retryAfterMs: number | null
}

/** Sends a request. Null: it was aborted. */
export async function attempt(
  { outgoing, clock }: { outgoing: Pick<Outgoing, 'send'>; clock: Clock },
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
  signal: AbortSignal,
): Promise<Outcome | null> {
  const at = formatTimestamp(clock.now())
  const start = performance.now()
  const made = (fields: Pick<Attempt, 'status' | 'response' | 'error'>): Attempt => {
    return { at, duration_ms: Math.round(performance.now() - start), ...fields }
  }
  try {
    const answer = await outgoing.send(new URL(url), {
      method: 'POST',
      headers,
      body,
      accept: '*/*',
      signal,
      followRedirects: false,
      timeoutMs: TIMEOUT_MS,
      cutAtBytes: RESPONSE_BYTES,
    })
    const { status } = answer
    const response = new TextDecoder().decode(answer.body)
    return {
      attempt: made({ status, response, error: null }),
      isSuccess: status >= 200 && status < 300,
      retryAfterMs: retryAfterOf(answer, clock.now()),
    }
  } catch (error) {
    if (signal.aborted) return null
    const failed = made({ status: null, response: null, error: causeOf(error) })
    return { attempt: failed, isSuccess: false, retryAfterMs: null }
  }
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function retryAfterOf({ headers }: OutgoingAnswer, now: number): number | null {
  const text = headers['retry-after']
  if (typeof text !== 'string') return null
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

const DNS = /^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EREFUSED|DNS_)/
const TLS = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/

function causeOf(error: unknown): Attempt['error'] {
  if (error instanceof AddressNotAllowed) return 'url_not_allowed'
  const { name, code = '' } = error as { name?: string; code?: string | number }
  if (name === 'TimeoutError') return 'timeout'
  if (DNS.test(String(code))) return 'dns_failed'
  return TLS.test(String(code)) ? 'tls_failed' : 'connection_failed'
}
