/** A request that isn't from the webhook's sender, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/** A received webhook. */
export interface ReceivedWebhook {
  /** The body, exactly as it was received. */
  body: string | Uint8Array
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>
  /** The endpoint's secret (`whsec_…`), or its public key (`whpk_…`). */
  secret: string
  /** How far its time may be from now; 5 minutes by default. */
  toleranceSeconds?: number
  /** The time to compare with, in milliseconds; now by default. */
  now?: number
}

/**
 * Checks a webhook by Standard Webhooks 1.0, and returns its event. A secret checks the signatures
 * `v1` (HMAC-SHA-256), a public key `v1a` (Ed25519). WebCrypto compares in constant time.
 * @throws WebhookVerificationError
 */
export async function verifyWebhook<T = unknown>(webhook: ReceivedWebhook): Promise<T> {
  const { body, headers, secret, toleranceSeconds = 300, now = Date.now() } = webhook
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  ) as [string, string, string]
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(now / 1000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('The timestamp is missing or too far from now.')
  }
  const encoder = new TextEncoder()
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const signed = concat(encoder.encode(`${id}.${timestamp}.`), bytes)
  const isPublic = secret.startsWith('whpk_')
  const algorithm = isPublic ? { name: 'Ed25519' } : { name: 'HMAC', hash: 'SHA-256' }
  const raw = fromBase64(secret.replace(/^wh(sec|pk)_/, ''))
  if (raw === undefined) throw new WebhookVerificationError('The secret is not valid.')
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify'])
  for (const entry of signatures.split(' ').slice(0, 20)) {
    const [version, text = ''] = entry.split(',')
    const signature = version === (isPublic ? 'v1a' : 'v1') ? fromBase64(text) : undefined
    if (signature && (await crypto.subtle.verify(algorithm.name, key, signature, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes)) as T
    }
  }
  throw new WebhookVerificationError('No signature is valid.')
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  return [found].flat()[0] ?? ''
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
