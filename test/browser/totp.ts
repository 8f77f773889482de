import { createHmac } from 'node:crypto'

/** The six digits of RFC 6238 (30 s, SHA-1) for the secret of an `otpauth://` address. */
export function totp(otpauth: string, timeMs = Date.now()): string {
  const secret = new URL(otpauth).searchParams.get('secret')
  if (secret === null) throw new Error(`no secret in ${otpauth}`)
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(timeMs / 30_000)))
  const digest = createHmac('sha1', base32(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** RFC 4648, without padding. */
function base32(text: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (const letter of text.replace(/=+$/, '').toUpperCase()) {
    held = (held << 5) | 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter)
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((held >> bits) & 255)
      held &= (1 << bits) - 1
    }
  }
  return Buffer.from(bytes)
}
