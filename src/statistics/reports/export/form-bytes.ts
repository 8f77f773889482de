import type { Form } from './form.ts'

/** What a byte of a value may become, at most: an escape of JSON. Two in CSV. */
export const GROWTH = 6

/** Writes a value that is there, of bytes from one place to another, and returns where it ends. */
export type FieldWriter = (
  bytes: Uint8Array,
  from: number,
  end: number,
  out: Uint8Array,
  at: number,
) => number

/** A byte that can't stand as it is: anywhere in a value, or as its first one. */
const ANYWHERE = 1
const FIRST = 2

/** The same as `form.field` of the text. */
export function createFieldWriter({ field, quote }: Pick<Form, 'field' | 'quote'>): FieldWriter {
  const isChanged = (text: string) => field(text) !== `${quote}${text}${quote}`
  // A byte of what isn't ASCII never is.
  const marks = Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte >= 128) return 0
    const text = String.fromCharCode(byte)
    if (isChanged(`a${text}`)) return ANYWHERE
    return isChanged(text) ? FIRST : 0
  })
  const isQuoted = quote !== ''
  const mark = quote.charCodeAt(0)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const encoder = new TextEncoder()

  function spell(bytes: Uint8Array, from: number, end: number, out: Uint8Array, at: number) {
    const text = field(decoder.decode(bytes.subarray(from, end)))
    return at + encoder.encodeInto(text, out.subarray(at)).written
  }

  return (bytes, from, end, out, at) => {
    let to = at
    if (isQuoted) out[to++] = mark
    let found = from < end ? (marks[bytes[from] as number] as number) : 0
    for (let i = from; i < end; i++) {
      const byte = bytes[i] as number
      found |= (marks[byte] as number) & ANYWHERE
      out[to++] = byte
    }
    if (found !== 0) return spell(bytes, from, end, out, at)
    if (isQuoted) out[to++] = mark
    return to
  }
}
