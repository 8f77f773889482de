import { isUtf8 } from 'node:buffer'

/** Objects and arrays may lie this deep in each other. */
const DEPTH_MAX = 32

/**
 * The JSON object that these bytes are, or undefined where they aren't one in the strict sense of
 * RFC 8259 and I-JSON (RFC 7493): UTF-8 without a byte-order mark, no member twice, no escaped
 * half of a surrogate pair, no deeper than 32 levels.
 */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // Where a member stands twice, the text has more members than the value that came of it.
  const members = membersOf(value, 1, text.includes('\\u'))
  return members === membersIn(text) ? (value as Record<string, unknown>) : undefined
}

/** How many members all objects in the value have; NaN where it is too deep or has half a pair. */
function membersOf(value: object, depth: number, escaped: boolean): number {
  if (depth > DEPTH_MAX) return Number.NaN
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += membersBelow(item, depth, escaped)
    return count
  }
  for (const key in value) {
    if (escaped && !key.isWellFormed()) return Number.NaN
    count += 1 + membersBelow((value as Record<string, unknown>)[key], depth, escaped)
  }
  return count
}

function membersBelow(value: unknown, depth: number, escaped: boolean): number {
  if (typeof value === 'object' && value !== null) return membersOf(value, depth + 1, escaped)
  if (escaped && typeof value === 'string' && !value.isWellFormed()) return Number.NaN
  return 0
}

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c

/** How many members stand in a well-formed JSON text: its colons outside strings. */
function membersIn(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === COLON) count++
    else if (code === QUOTE) i = endOfString(text, i)
  }
  return count
}

/** Where the string that starts at `start` has its closing quote: the next one not escaped. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((end - before) % 2 === 1) return end
  }
}
