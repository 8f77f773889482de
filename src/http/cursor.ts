import { createHmac } from 'node:crypto'
import { NONCE_BYTES, seal, unseal } from '../lib/base/seal.ts'
import { AppError } from '../lib/errors/index.ts'

const CURSOR_LENGTH_MAX = 1024

/** The elements of a position in a list. */
export type CursorValue = string | number | boolean | null

/** See {@link createCursors}. */
export type Cursors = ReturnType<typeof createCursors>

/**
 * Positions in a list, encrypted with AES-256-GCM. A cursor is only valid for its list: `binding`
 * identifies that (workspace, filters and order), and is the additional authenticated data. The
 * nonce is a keyed hash of both, so that equal positions have equal cursors and no nonce is used
 * for two texts.
 */
export function createCursors(secret: string | Uint8Array) {
  const keyFor = (use: string) => createHmac('sha256', secret).update(use).digest()
  const key = keyFor('cursor encryption')
  const nonceKey = keyFor('cursor nonce')

  const nonceOf = (text: string, binding: string) =>
    createHmac('sha256', nonceKey)
      .update(JSON.stringify([text, binding]))
      .digest()

  return {
    encode(position: readonly CursorValue[], binding: string): string {
      const text = JSON.stringify(position)
      return seal(key, text, binding, nonceOf(text, binding).subarray(0, NONCE_BYTES))
    },
    /** @throws AppError BAD_REQUEST with INVALID_CURSOR. */
    decode(cursor: string, binding: string): CursorValue[] {
      try {
        // Other encodings of the same bytes are refused.
        const isOurs = Buffer.from(cursor, 'base64url').toString('base64url') === cursor
        if (isOurs && cursor.length <= CURSOR_LENGTH_MAX) {
          return JSON.parse(unseal(key, cursor, binding)) as CursorValue[]
        }
      } catch {}
      throw new AppError('BAD_REQUEST', { details: [{ field: 'cursor', code: 'INVALID_CURSOR' }] })
    },
  }
}
