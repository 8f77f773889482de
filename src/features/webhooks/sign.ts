import { createHmac, createPrivateKey, createPublicKey, hkdfSync, sign } from 'node:crypto'

/** What precedes the 32 bytes of an ed25519 key in PKCS #8 (RFC 8410 §7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const BYTES = 32

/** The secret and the key pair that sign the requests of a webhook. */
export interface SigningKeys {
  /** `whsec_` and 44 characters: of the HMAC. */
  readonly secret: string
  /** `whpk_` and 44 characters: of the ed25519 signature. */
  readonly publicKey: string
  /** The signatures `v1` (HMAC-SHA-256) and `v1a` (ed25519) of a text. */
  sign(text: string): string[]
}

/** Derives them (HKDF-SHA-256, RFC 5869) from the instance's secret, so that none is stored. */
export function signingKeys(key: Uint8Array, webhookId: string, salt: string): SigningKeys {
  const bytes = Buffer.from(hkdfSync('sha256', key, salt, `webhook ${webhookId}`, 2 * BYTES))
  const [mac, seed] = [bytes.subarray(0, BYTES), bytes.subarray(BYTES)]
  const der = { key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' } as const
  const privateKey = createPrivateKey(der)
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return {
    secret: `whsec_${mac.toString('base64')}`,
    publicKey: `whpk_${spki.subarray(-BYTES).toString('base64')}`,
    sign: (text) => [
      `v1,${createHmac('sha256', mac).update(text).digest('base64')}`,
      `v1a,${sign(null, Buffer.from(text), privateKey).toString('base64')}`,
    ],
  }
}

/**
 * The headers of a request (Standard Webhooks 1.0).
 * @param now milliseconds since the epoch
 */
export function signedHeaders(
  keys: readonly SigningKeys[],
  { id, now, body }: { id: string; now: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const text = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.flatMap((each) => each.sign(text)).join(' '),
  }
}
