import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { AppError } from '../errors/index.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const CURSOR_LENGTH_MAX = 1024

/** What a position in a list is made of. */
type CursorValue = string | number | boolean | null

/** See {@link createCursors}. */
export type Cursors = ReturnType<typeof createCursors>

/**
 * Positions in a list, encrypted with AES-256-GCM. A cursor is only good for the list that it came
 * from: `binding` says which list that is (its workspace, filters and order), and is the additional
 * data. The nonce is a keyed hash of both, so that equal positions have equal cursors and no nonce
 * serves two texts.
 */
export function createCursors(secret: string | Uint8Array) {
  const keyFor = (use: string) => createHmac('sha256', secret).update(use).digest()
  const key = keyFor('cursor encryption')
  const nonceKey = keyFor('cursor nonce')

  function nonceOf(text: string, binding: string): Buffer {
    return createHmac('sha256', nonceKey)
      .update(JSON.stringify([text, binding]))
      .digest()
      .subarray(0, IV_BYTES)
  }

  function decrypt(cursor: string, binding: string): string | undefined {
    const bytes = Buffer.from(cursor.slice(0, CURSOR_LENGTH_MAX), 'base64url')
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
    // Other spellings that decode to the same bytes are refused.
    if (bytes.toString('base64url') !== cursor) return undefined
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
    decipher.setAAD(Buffer.from(binding)).setAuthTag(bytes.subarray(-TAG_BYTES))
    try {
      const text = bytes.subarray(IV_BYTES, -TAG_BYTES)
      return Buffer.concat([decipher.update(text), decipher.final()]).toString()
    } catch {
      return undefined
    }
  }

  return {
    encode(position: readonly CursorValue[], binding: string): string {
      const text = JSON.stringify(position)
      const nonce = nonceOf(text, binding)
      const cipher = createCipheriv(CIPHER, key, nonce)
      cipher.setAAD(Buffer.from(binding))
      const encrypted = Buffer.concat([cipher.update(text), cipher.final()])
      return Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64url')
    },
    /** @throws AppError BAD_REQUEST with INVALID_CURSOR. */
    decode(cursor: string, binding: string): CursorValue[] {
      const text = decrypt(cursor, binding)
      if (text === undefined) {
        throw new AppError('BAD_REQUEST', {
          details: [{ field: 'cursor', code: 'INVALID_CURSOR' }],
        })
      }
      return JSON.parse(text) as CursorValue[]
    },
  }
}
