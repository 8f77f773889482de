import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** How long a password that was entered counts. */
const ACCESS_MS = 12 * 3_600_000

/** Bytes of an address: 160 bits, which are 32 characters. */
const TOKEN_BYTES = 20
const TOKEN_LENGTH = 32

/** What an address of a share has behind `/shared/`. */
export const TOKEN = /^[0-9a-v]{32}$/

/** A share, as far as its secrets need to know. */
interface Keyed {
  id: string
  password_hash: string | null
}

export type ShareTokens = ReturnType<typeof createShareTokens>

/**
 * The addresses of shares, and what stands for a password that was entered. An address is made from
 * the share's id with a key that isn't in the database, which has its hash alone: a copy of the
 * database opens no share.
 */
export function createShareTokens(key: Uint8Array) {
  const mac = (...texts: readonly string[]) =>
    createHmac('sha256', key).update(texts.join('\n')).digest()
  const sign = ({ id, password_hash }: Keyed, until: string) =>
    mac('access', id, password_hash ?? '', until)
  return {
    /** The 32 characters of a share's address. */
    tokenOf(id: string): string {
      const hex = mac('address', id).subarray(0, TOKEN_BYTES).toString('hex')
      return BigInt(`0x${hex}`).toString(32).padStart(TOKEN_LENGTH, '0')
    },
    /** What the database has of an address. */
    hashOf: (token: string): string => createHash('sha256').update(token).digest('hex'),
    /** Stands for the password from now on, until it is changed. */
    grant(share: Keyed, now: number): { access: string; until: number } {
      const until = now + ACCESS_MS
      const text = until.toString(36)
      return { access: `${text}.${sign(share, text).toString('base64url')}`, until }
    },
    /** Whether `access` stands for the share's password now. */
    admits(share: Keyed, access: string, now: number): boolean {
      const [until = '', signature = ''] = access.split('.')
      const given = Buffer.from(signature, 'base64url')
      const right = sign(share, until)
      if (given.length !== right.length || !timingSafeEqual(given, right)) return false
      return Number.parseInt(until, 36) > now
    },
  }
}
