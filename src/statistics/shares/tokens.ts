import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** How long an entered password stays valid. */
const ACCESS_MS = 12 * 3_600_000

/** Bytes of a token: 160 bits, as 32 characters. */
const TOKEN_BYTES = 20
const TOKEN_LENGTH = 32

/** The token in a share's path `/shared/{token}`. */
export const TOKEN = /^[0-9a-v]{32}$/

/** What the tokens depend on. */
interface Keyed {
  id: string
  password_hash: string | null
}

export type ShareTokens = ReturnType<typeof createShareTokens>

/**
 * The tokens of shares, and the access granted by their passwords. A token is derived from the
 * share's id with a key that isn't in the database, which has only the token's hash: so a copy of
 * the database reveals no token.
 */
export function createShareTokens(key: Uint8Array) {
  const mac = (...texts: readonly string[]) =>
    createHmac('sha256', key).update(texts.join('\n')).digest()
  const sign = ({ id, password_hash }: Keyed, until: string) =>
    mac('access', id, password_hash ?? '', until)
  return {
    /** The 32 characters of a share's token. */
    tokenOf(id: string): string {
      const hex = mac('address', id).subarray(0, TOKEN_BYTES).toString('hex')
      return BigInt(`0x${hex}`).toString(32).padStart(TOKEN_LENGTH, '0')
    },
    /** The stored form of a token. */
    hashOf: (token: string): string => createHash('sha256').update(token).digest('hex'),
    /** Grants access instead of the password, until it is changed. */
    grant(share: Keyed, now: number): { access: string; until: number } {
      const until = now + ACCESS_MS
      const text = until.toString(36)
      return { access: `${text}.${sign(share, text).toString('base64url')}`, until }
    },
    /** Whether `access` is valid for the share now. */
    admits(share: Keyed, access: string, now: number): boolean {
      const [until = '', signature = ''] = access.split('.')
      const given = Buffer.from(signature, 'base64url')
      const right = sign(share, until)
      if (given.length !== right.length || !timingSafeEqual(given, right)) return false
      return Number.parseInt(until, 36) > now
    },
  }
}
