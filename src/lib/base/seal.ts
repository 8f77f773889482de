import { createCipheriv, createDecipheriv } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const TAG_BYTES = 16

/** The bytes of a nonce (RFC 5116 §5.3). */
export const NONCE_BYTES = 12

/**
 * Encrypts a text with AES-256-GCM.
 * @param owner the additional authenticated data, which decryption needs too
 * @param nonce never used twice with the same key
 */
export function seal(key: Uint8Array, text: string, owner: string, nonce: Uint8Array): string {
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner))
  const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([body, cipher.getAuthTag()]).toString('base64url')
}

/** Decrypts a text of {@link seal}. Throws when it was changed, or the key or the owner differs. */
export function unseal(key: Uint8Array, sealed: string, owner: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  // Node would accept a shorter tag, which is easier to guess.
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('Too short to be sealed')
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES))
  const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES)
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
}
