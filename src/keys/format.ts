import { type Random, randomString } from '../base/random.ts'

/** The digits of base62, in the order of their values. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const PREFIX_LENGTH = 8
const SECRET_LENGTH = 26
const CHECK_LENGTH = 6
const SHAPE = /^slug_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}$/
const PREFIX_START = 'slug_'.length
const CHECK_START = PREFIX_START + PREFIX_LENGTH + 1 + SECRET_LENGTH

/** An API key that was just made. */
export interface FreshKey {
  /** The whole key: `slug_` + 8 + `_` + 32 characters. */
  key: string
  /** The 8 public characters. */
  prefix: string
}

/** Makes a key with 154 bits of chance behind its public part. */
export function makeKey(random: Random): FreshKey {
  const prefix = randomString(random, BASE62, PREFIX_LENGTH)
  const head = `slug_${prefix}_${randomString(random, BASE62, SECRET_LENGTH)}`
  return { key: head + checkOf(head), prefix }
}

/**
 * The 8 public characters of what could be a key, or null when its shape or its checksum is wrong.
 * A CRC-32 finds every change within 32 neighbouring bits, so every mistyped character.
 */
export function prefixOf(credential: string): string | null {
  if (!SHAPE.test(credential)) return null
  const head = credential.slice(0, CHECK_START)
  if (credential.slice(CHECK_START) !== checkOf(head)) return null
  return credential.slice(PREFIX_START, PREFIX_START + PREFIX_LENGTH)
}

/** CRC-32 (as in zlib) in six base62 digits, of which 2^32 needs no more. */
function checkOf(head: string): string {
  let rest = Bun.hash.crc32(head)
  let text = ''
  for (let i = 0; i < CHECK_LENGTH; i++) {
    text = (BASE62[rest % 62] as string) + text
    rest = Math.floor(rest / 62)
  }
  return text
}
