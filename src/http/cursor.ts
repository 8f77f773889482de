import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors/index.ts'

/** Enough that nobody guesses one; short enough for an address. */
const SIGNATURE_BYTES = 12
const CURSOR_LENGTH_MAX = 1024

/** What a position in a list is made of. */
export type CursorValue = string | number | boolean | null

/**
 * Opaque, signed positions in a list. A cursor is only good for the very list that it came from:
 * `binding` says which that is (whose, filtered and sorted how).
 */
export interface Cursors {
  encode(position: readonly CursorValue[], binding: string): string
  /** @throws AppError BAD_REQUEST with INVALID_CURSOR. */
  decode(cursor: string, binding: string): CursorValue[]
}

/** Cursors signed with HMAC-SHA-256 (RFC 2104), cut off after 96 bits. */
export function createCursors(secret: string | Uint8Array): Cursors {
  function sign(payload: Buffer, binding: string): Buffer {
    // The length keeps payload and binding apart.
    const length = Buffer.alloc(4)
    length.writeUInt32BE(payload.length)
    return createHmac('sha256', secret)
      .update('cursor\0')
      .update(length)
      .update(payload)
      .update(binding)
      .digest()
      .subarray(0, SIGNATURE_BYTES)
  }

  return {
    encode(position, binding) {
      const payload = Buffer.from(JSON.stringify(position))
      return Buffer.concat([sign(payload, binding), payload]).toString('base64url')
    },
    decode(cursor, binding) {
      const bytes = Buffer.from(cursor.slice(0, CURSOR_LENGTH_MAX), 'base64url')
      const payload = bytes.subarray(SIGNATURE_BYTES)
      if (
        payload.length === 0 ||
        // Whatever else decodes to the same bytes is not a cursor of ours.
        bytes.toString('base64url') !== cursor ||
        !timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(payload, binding))
      ) {
        throw new AppError('BAD_REQUEST', {
          details: [{ field: 'cursor', code: 'INVALID_CURSOR' }],
        })
      }
      return JSON.parse(payload.toString()) as CursorValue[]
    },
  }
}
